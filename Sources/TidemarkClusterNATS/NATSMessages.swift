#if NATS
  import Foundation

  /// The messages of the JetStream interface that the log uses. All are JSON.
  enum JetStream {
    /// An error in a response.
    struct Failure: Decodable {
      var code: Int
      var err_code: Int?
      var description: String?

      static let noMessageFound = 10_037
      static let streamNotFound = 10_059
      static let wrongLastMessageID = 10_070
      static let wrongLastSequence = 10_071
    }

    /// The response to a message that was stored in a stream.
    struct Acknowledgement: Decodable {
      var seq: UInt64?
      var error: Failure?
    }

    struct MessageRequest: Encodable {
      var last_by_subj: String
    }

    struct MessageResponse: Decodable {
      struct Message: Decodable {
        var subject: String
        var seq: UInt64
        var hdrs: Data?
        var data: Data?
      }

      var message: Message?
      var error: Failure?
    }

    struct StreamSettings: Codable {
      var name: String
      var subjects: [String]
      var retention = "limits"
      var storage = "file"
      var discard = "new"
      var num_replicas: Int
      var max_msgs: Int64 = -1
      var max_bytes: Int64 = -1
      var max_age: Int64 = 0
      var max_msgs_per_subject: Int64? = -1
      var allow_rollup_hdrs: Bool? = true

      /// The reason why an existing stream cannot contain a log; nil if it can.
      func objection(to found: StreamSettings) -> String? {
        if found.subjects != subjects { return "its subjects are \(found.subjects.joined(separator: ", "))" }
        if found.num_replicas < num_replicas { return "it has \(found.num_replicas) replicas, of \(num_replicas)" }
        if found.storage != storage { return "its storage is \(found.storage), not \(storage)" }
        if found.retention != retention { return "its retention is \(found.retention), not \(retention)" }
        if found.discard != discard {
          return "it discards \(found.discard) messages when it is full, not \(discard) ones"
        }
        if found.max_age != 0 { return "it removes old messages" }
        if let count = found.max_msgs_per_subject, count > 0 { return "it removes messages of a subject" }
        if found.allow_rollup_hdrs != true { return "it does not allow roll-up headers" }
        return nil
      }
    }

    struct StreamResponse: Decodable {
      struct State: Decodable {
        var messages: UInt64
        var last_seq: UInt64
      }

      var config: StreamSettings?
      var state: State?
      var error: Failure?
    }

    struct PurgeRequest: Encodable {
      /// Messages before this one are removed.
      var seq: UInt64
    }

    struct PurgeResponse: Decodable {
      var success: Bool?
      var error: Failure?
    }

    struct ConsumerRequest: Encodable {
      struct Settings: Encodable {
        var deliver_subject: String
        var deliver_policy = "new"
        var ack_policy = "none"
        var replay_policy = "instant"
        var filter_subject: String
        var headers_only = true
        var mem_storage = true
      }

      var stream_name: String
      var config: Settings
    }

    struct ConsumerResponse: Decodable {
      var error: Failure?
    }
  }
#endif
