import Foundation
import Tidemark

/// Retains a statement, uses it in later accesses, and releases it.
struct ModelRetain: ModelCommand {
  private let slot: Int
  private let releases: Bool

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    releases = random.once(in: 3)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot] else { return false }
    let expected: String
    if let error = database.error {
      expected = "throws \(error.label)"
    } else {
      expected = database.file.content.hasSchema ? "\(database.file.content.items.count)" : "throws ERROR"
    }
    guard let statement = database.statement else {
      if database.isClosed { return false }
      try world.check("statement\(slot) = db\(slot).makeStatement(item count)", expected) {
        try database.writer.writeWithoutTransaction { db in
          let statement = try db.makeStatement(sql: "SELECT COUNT(*) FROM item")
          database.statement = ModelStatement(statement)
          return "\(try Int.fetchOne(statement) ?? -1)"
        }
      }
      world.count("made")
      return true
    }
    if releases {
      world.note("release statement\(slot)")
      database.statement = nil
      world.count("released")
      return true
    }
    try world.check("db\(slot): execute statement\(slot)", expected) {
      try database.writer.writeWithoutTransaction { _ in "\(try Int.fetchOne(statement.statement) ?? -1)" }
    }
    world.count("used")
    return true
  }
}

/// Suspends or resumes the databases that observe suspensions.
struct ModelSuspend: ModelCommand {
  private let suspends: Bool

  init(_ random: inout RandomNumbers) { suspends = random.once(in: 3) }

  func execute(in world: ModelWorld) throws -> Bool {
    let databases = world.databases.compactMap { $0 }.filter { $0.settings.isSuspendable }
    guard databases.contains(where: { $0.isSuspended != suspends }) else { return false }
    try world.check(suspends ? "suspend" : "resume", "ok") {
      NotificationCenter.default.post(
        name: suspends ? Database.suspendNotification : Database.resumeNotification, object: nil)
      return "ok"
    }
    world.count(suspends ? "suspended" : "resumed")
    for database in databases {
      database.isSuspended = suspends
      world.didInterrupt(database)
    }
    return true
  }
}
