import Foundation

/// The messages of etcd's HTTP/JSON gateway that the log uses.
///
/// In JSON, 64-bit integers are strings, bytes are in Base64, and fields with a default value are missing.
enum EtcdMessage {
  struct TransactionRequest: Encodable {
    var compare: [Comparison] = []
    var success: [Operation] = []
    var failure: [Operation] = []
  }

  struct Comparison: Encodable {
    var key: Data
    var target: String
    var result = "EQUAL"
    var value: Data?
    var create_revision: String?

    static func exists(_ key: Data, withValue value: Data) -> Comparison {
      Comparison(key: key, target: "VALUE", value: value)
    }

    static func isMissing(_ key: Data) -> Comparison { Comparison(key: key, target: "CREATE", create_revision: "0") }
  }

  struct Operation: Encodable {
    var request_range: Range?
    var request_put: Put?
    var request_delete_range: DeleteRange?

    static func get(_ key: Data) -> Operation { Operation(request_range: Range(key: key)) }
    static func put(_ key: Data, _ value: Data) -> Operation {
      Operation(request_put: Put(key: key, value: value))
    }
  }

  struct Range: Encodable {
    var key: Data
    var range_end: Data?
    var limit: String?
  }

  struct Put: Encodable {
    var key: Data
    var value: Data
  }

  struct DeleteRange: Encodable {
    var key: Data
    var range_end: Data
  }

  struct TransactionResponse: Decodable {
    var header: Header
    var succeeded: Bool?
    var responses: [OperationResponse]?

    /// The values that an operation has read.
    func values(_ index: Int) throws(LogError) -> [Data] {
      guard let responses, responses.indices.contains(index), let range = responses[index].response_range else {
        throw .corrupted("etcd has returned no result of operation \(index)")
      }
      return (range.kvs ?? []).map { $0.value ?? Data() }
    }
  }

  struct Header: Decodable {
    var revision: String?
  }

  struct OperationResponse: Decodable {
    var response_range: RangeResponse?
  }

  struct RangeResponse: Decodable {
    var kvs: [KeyValue]?
  }

  struct KeyValue: Decodable {
    var value: Data?
  }

  struct WatchRequest: Encodable {
    struct Creation: Encodable {
      var key: Data
      var range_end: Data
      var start_revision: String
      var filters = ["NODELETE"]
    }

    var create_request: Creation
  }

  /// A line of the response to a watch.
  struct WatchResponse: Decodable {
    struct Result: Decodable {
      var canceled: Bool?
      var events: [Event]?
    }

    struct Event: Decodable {
      var kv: KeyValue?
    }

    /// Missing if the watch has failed.
    var result: Result?
  }

  struct CompactionRequest: Encodable {
    var revision: String
  }

  struct CompactionResponse: Decodable {}

  struct AuthenticationRequest: Encodable {
    var name: String
    var password: String
  }

  struct AuthenticationResponse: Decodable {
    var token: String
  }

  /// The body of a response with an error.
  struct Failure: Decodable {
    var error: String?
    var message: String?
    var code: Int?
  }
}
