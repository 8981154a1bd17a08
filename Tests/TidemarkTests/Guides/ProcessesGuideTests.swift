import Foundation
import TestSupport
import Testing
import Tidemark

/// The code of `Documentation/Processes.md`.
@Suite(.untilItHangs) struct ProcessesGuideTests {
  struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var name: String
    var score: Int
  }

  private let folder: TemporaryFolder
  private let dbPool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    var config = Configuration()
    config.changeFeed = ChangeFeedConfiguration()
    dbPool = try DatabasePool(path: folder.path("app.sqlite"), configuration: config)
    try dbPool.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)") }
  }

  @Test func `a process lock runs a closure alone`() async throws {
    let names = Locked<[String]>([])
    func sendMails() async throws {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      names.update { $0 = files }
    }
    try await dbPool.withExclusiveProcessLock(named: "mailer") {
      try await sendMails()
    }
    #expect(names.value.contains("app.sqlite-lock-mailer"))
  }

  @Test func `a process lock that is available returns the result`() async throws {
    func removeOldPlayers() async throws -> Int { 3 }
    func print(_ text: String) { Issue.record("\(text)") }
    let count = try await dbPool.withExclusiveProcessLockIfAvailable(named: "cleanup") {
      try await removeOldPlayers()
    }
    if count == nil { print("another process removes old players") }
    #expect(count == 3)
  }

  @Test func `notifications are sent and received`() async throws {
    let payloads = Locked<[String]>([])
    @Sendable func print(_ payload: String) {
      payloads.update { $0.append(payload) }
      // Ends the loop.
      if payload == "reload" { withUnsafeCurrentTask { $0?.cancel() } }
    }
    let token = try await dbPool.read { try $0.changeToken() }
    let task = Task { [dbPool] in
      for try await notification in try await dbPool.notifications(channel: "players") {
        print(notification.payload)
      }
    }
    try await dbPool.write { db in
      try Player(id: 1, name: "Arthur", score: 30).insert(db)
      try db.notify(channel: "players", payload: "1")
    }
    // The receiver may begin later than this.
    while !payloads.value.contains("reload") {
      try await dbPool.notify(channel: "players", payload: "reload")
      await Task.yield()
    }
    try await task.value
    let stored = try await dbPool.notifications(channel: "players", after: token).first { _ in true }
    #expect(stored?.payload == "1")
  }

  @Test func `a named consumer receives notifications`() async throws {
    let sent = Locked<[String]>([])
    @Sendable func send(_ payload: String) async throws { sent.update { $0.append(payload) } }
    try await dbPool.write { db in
      try db.acknowledge(db.changeToken(), by: "mailer")
    }
    let start = try await dbPool.read { try $0.changeToken() }
    try await dbPool.write { db in
      try db.notify(channel: "mail", payload: "1")
      try db.notify(channel: "mail", payload: "2")
    }
    let task = Task { [dbPool] in
      for try await notification in try await dbPool.notifications(channel: "mail", for: "mailer") {
        try await send(notification.payload)
        if notification.isContinued { continue }
        try await dbPool.write { db in try db.acknowledge(notification.token, by: "mailer") }
      }
    }
    try await waitUntil { [dbPool] in
      // Why: a failed read is tried again.
      (try? dbPool.read { try $0.acknowledgedToken(by: "mailer") }).flatMap { $0 } != start
    }
    task.cancel()
    do { try await task.value } catch is CancellationError {}
    #expect(sent.value == ["1", "2"])
  }
}
