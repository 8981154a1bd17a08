#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// The messages of a stream, and the descriptions of servers, as values.
  @Suite struct NATSStateTests {
    private func message(_ body: [UInt8], subject: String, headers: String) -> JetStream.MessageResponse.Message {
      JetStream.MessageResponse.Message(subject: subject, seq: 7, hdrs: Data(headers.utf8), data: Data(body))
    }

    private let headers = "NATS/1.0\r\nNats-Expected-Last-Msg-Id: a\r\nNats-Msg-Id: b\r\n\r\n"

    @Test func `each message contains the state after it`() throws {
      let first = LogEntry(after: .start, payload: [1])
      let second = LogEntry(after: first.position, payload: [2])
      var state = NATSState()
      state.last = first.position
      state.discarded = LogPosition(number: 1, digest: LogDigest(of: [9]))

      let entry = try NATSState(
        message(state.body(appending: second), subject: "log.entry.2", headers: headers))
      #expect(entry.entry == second)
      #expect(entry.last == second.position)
      #expect(entry.discarded == state.discarded)
      #expect(entry.sequence == 7)
      #expect(entry.messageID == "b")

      let mark = try NATSState(message(state.bodyOfMark, subject: "log.mark", headers: headers))
      #expect(mark.entry == nil)
      #expect(mark.last == first.position)
      #expect(mark.discarded == state.discarded)
    }

    @Test func `any other bytes are an error`() throws {
      let entry = LogEntry(after: .start, payload: [1])
      for (body, subject) in [
        (NATSState().body(appending: entry), "log.entry.1"), (NATSState().bodyOfMark, "log.mark"),
      ] {
        for count in 0..<body.count {
          #expect(throws: LogError.self, "\(count) bytes") {
            try NATSState(message(Array(body[..<count]), subject: subject, headers: headers))
          }
        }
        #expect(throws: LogError.self) {
          try NATSState(message([2] + body.dropFirst(), subject: subject, headers: headers))
        }
      }
    }

    @Test(arguments: [
      ("2.9.10", false, false, false), ("2.9.10", true, false, false), ("2.9.10", false, true, true),
      ("2.10.0", false, false, false), ("2.10.0", true, false, true), ("2.10.0", false, true, true),
      ("3.0.0-beta", true, false, true), ("1.99.0", true, false, false), ("unknown", true, false, false),
    ])
    func `only servers that sync are used, unless others are allowed`(
      version: String, syncAlways: Bool, allowsUnsynced: Bool, isUsed: Bool
    ) throws {
      var configuration = NATSConfiguration(servers: [try #require(URL(string: "nats://a"))], stream: "log")
      configuration.serversSyncAlways = syncAlways
      configuration.allowsUnsyncedServers = allowsUnsynced
      let info = NATSServerInfo(server_id: "A", version: version, headers: true, jetstream: true)
      #expect((info.objection(configuration) == nil) == isUsed)
      let old = NATSServerInfo(server_id: "A", version: version, headers: nil)
      #expect(old.objection(configuration) != nil)
    }

    @Test func `the stream keeps all messages`() {
      let wanted = JetStream.StreamSettings(name: "log", subjects: ["log.mark"], num_replicas: 3)
      #expect(wanted.objection(to: wanted) == nil)
      let changes: [(inout JetStream.StreamSettings) -> Void] = [
        { $0.subjects = ["a"] }, { $0.num_replicas = 1 }, { $0.storage = "memory" }, { $0.retention = "workqueue" },
        { $0.discard = "old" }, { $0.max_age = 1 }, { $0.max_msgs_per_subject = 1 }, { $0.allow_rollup_hdrs = false },
      ]
      for change in changes {
        var found = wanted
        change(&found)
        #expect(wanted.objection(to: found) != nil)
      }
      var larger = wanted
      (larger.num_replicas, larger.max_bytes) = (5, 1 << 30)
      #expect(wanted.objection(to: larger) == nil)
    }

    @Test func `the name of a stream has no characters with a meaning`() async throws {
      await #expect(processExitsWith: .failure) {
        _ = NATSConfiguration(servers: [URL(fileURLWithPath: "/")], stream: "a.b")
      }
      await #expect(processExitsWith: .failure) { _ = NATSConfiguration(servers: [], stream: "a") }
    }
  }
#endif
