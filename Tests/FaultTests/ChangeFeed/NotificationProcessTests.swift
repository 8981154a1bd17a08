import Foundation
import StressSupport
import TestSupport
import Testing
import Tidemark

/// Processes that send and receive notifications are killed. A receiver in this process, and a named consumer in the
/// killed processes, receive each notification of a committed transaction exactly once, in order.
@Suite(.serialized, .enabled(if: Child.isBuilt), .untilItHangs) struct NotificationProcessTests {
  @Test func `killed processes lose and repeat no notification`() async throws {
    let run = Run("notifications-killed", seed: Scale.seed)
    let folder = try TestFolder(onDisk: true)
    let kills = try NotificationKills(folder, run)
    let receiver = try await kills.receiver()
    let received = Task { try await receiver.payloads(through: "end") }
    await Workers(run: run).threads(1, "killer") { _ in try kills.kill(Scale.of(daily: 8, full: 500)) }
    try await kills.finish(received)
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    run.finish()
  }

  @Test func `a notification that is not sent is noticed`() async throws {
    let run = Run("notifications-control", seed: Scale.seed)
    let kills = try NotificationKills(TestFolder(), run)
    let receiver = try await kills.receiver()
    let received = Task { try await receiver.payloads(through: "end") }
    try await kills.pool.write { try $0.execute(sql: "INSERT INTO sent (text) VALUES ('planted')") }
    try await kills.finish(received)
    run.finishControl(planted: "a text without a notification")
  }
}

private final class NotificationKills: Sendable {
  let pool: DatabasePool
  private let folder: TestFolder
  private let run: Run

  init(_ folder: TestFolder, _ run: Run) throws {
    (self.folder, self.run) = (folder, run)
    pool = try folder.feedPool()
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE sent (id INTEGER PRIMARY KEY, text TEXT);
          CREATE TABLE received (id INTEGER PRIMARY KEY, text TEXT)
          """)
    }
    try pool.write { db in try db.acknowledge(db.changeToken(), by: "copier") }
  }

  func receiver() async throws -> DatabaseNotifications { try await pool.notifications(channel: "text") }

  func send(_ text: String) throws {
    try pool.write { db in
      try db.execute(sql: "INSERT INTO sent (text) VALUES (?)", arguments: [text])
      try db.notify(channel: "text", payload: text)
    }
  }

  func kill(_ cycles: Int) throws {
    var numbers = RandomNumbers(seed: run.seed)
    for cycle in 0..<cycles {
      let child = try Child("notify", database: folder.database, name: "child \(cycle)")
      let bytes = child.wait(acknowledged: numbers.below(30))
      // This process sends, too.
      try send("parent \(cycle)")
      // At another point of its work each time.
      usleep(UInt32(numbers.below(3_000)))
      let (count, complaint) = child.kill(afterBytes: bytes)
      if !complaint.isEmpty { run.problem(complaint) }
      run.count("kills")
      run.count("transactions", count)
    }
  }

  /// Ends the receivers, and compares what they have received with what was sent.
  func finish(_ receiver: Task<[String], any Error>) async throws {
    try await Task { [self] in try send("end") }.value
    let received = try await receiver.value
    let copied = try await pool.read { try String.fetchAll($0, sql: "SELECT text FROM received ORDER BY id") }
    let rest = try await pool.notifications(channel: "text", for: "copier").payloads(through: "end")
    let sent = try await pool.read { try String.fetchAll($0, sql: "SELECT text FROM sent ORDER BY id") }
    if received != sent { run.problem("of \(sent.count) notifications, \(received.count) were received") }
    if copied + rest != sent {
      run.problem("of \(sent.count) notifications, \(copied.count) were stored, and \(rest.count) left")
    }
    run.count("notifications", sent.count)
    try await Task { [self] in try pool.close() }.value
  }
}

extension DatabaseNotifications {
  /// The payloads up to one.
  fileprivate func payloads(through last: String) async throws -> [String] {
    var payloads: [String] = []
    for try await notification in self {
      payloads.append(notification.payload)
      if notification.payload == last { break }
    }
    return payloads
  }
}
