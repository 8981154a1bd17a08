import Foundation
import Tidemark

/// A replica of the tables `item` and `part`, which the transactions of a change stream keep up to date.
final class ModelReplica: @unchecked Sendable {
  // The condition protects all properties.
  private let condition = NSCondition()
  private var content: ModelContent
  private var unknown: String?
  private var isFinished = false

  init(_ content: ModelContent) { self.content = content }

  func apply(_ transaction: TransactionChanges) {
    condition.withLock {
      for element in transaction.elements {
        if case .unknownRows(_, let table) = element { unknown = "unknown rows of \(table)" }
      }
      if !transaction.isComplete { unknown = "\(transaction.completeness)" }
      for row in transaction.rows { apply(row) }
      condition.signal()
    }
  }

  private func apply(_ change: ChangedRow) {
    let (old, new) = (change.oldRow?["id"] as Int64?, change.newRow?["id"] as Int64?)
    if change.table.name == "item" {
      if let old { content.items[old] = nil }
      guard let new, let row = change.newRow else { return }
      content.items[new] = ModelContent.Item(name: row["name"], score: row["score"], code: row["code"])
    } else if change.table.name == "part" {
      if let old { content.parts[old] = nil }
      if let new { content.parts[new] = change.newRow?["itemId"] }
    }
  }

  func finish(_ error: (any Error)?) {
    condition.withLock {
      isFinished = true
      unknown = unknown ?? error.map { "\($0)" }
      condition.signal()
    }
  }

  /// Waits until the replica has a content, or cannot have it.
  ///
  /// - Returns: What prevents it, or a text about the difference.
  func wait(for expected: ModelContent, _ patience: Duration) -> (unknown: String?, difference: String?) {
    let end = ContinuousClock.now + patience
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let unknown { return (unknown, nil) }
      if content.items == expected.items, content.parts == expected.parts { return (nil, nil) }
      if ContinuousClock.now > end { return (nil, "the replica contains \(content.dump)") }
      _ = condition.wait(until: Date.now + 0.02)
    }
  }

  var isAtEnd: Bool { condition.withLock { isFinished } }
}

/// A change stream, which a task consumes.
final class ModelStream {
  let database: ModelDatabase
  let replica: ModelReplica

  /// Whether a read may have been interrupted, which ends the stream.
  var mayBeInterrupted = false
  private let task: Task<Void, Never>

  init(_ database: ModelDatabase) throws {
    self.database = database
    let replica = ModelReplica(database.file.content)
    self.replica = replica
    let changes = try database.writer.changes(in: Table("item"), Table("part"))
    task = Task {
      do {
        for try await transaction in changes { replica.apply(transaction) }
        replica.finish(nil)
      } catch {
        replica.finish(error)
      }
    }
  }

  func cancel() { task.cancel() }
}

/// Starts, checks and cancels change streams.
struct ModelFollow: ModelCommand {
  private let database: Int
  private let cancels: Bool

  init(_ random: inout RandomNumbers) {
    database = random.slot()
    cancels = random.once(in: 6)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let stream = world.stream else {
      guard let database = world.databases[database], !database.isClosed else { return false }
      let hasTables = database.file.content.hasSchema
      try world.check("stream = db\(self.database).changes(in: item, part)", hasTables ? "started" : "no table") {
        do {
          world.stream = try ModelStream(database)
        } catch {
          if hasTables || ModelError(of: error) != .noTable { throw error }
        }
        // If the tables were removed, a connection that knows them may still observe all changes.
        return hasTables ? "started" : "no table"
      }
      world.count(hasTables ? "started" : "no table")
      return true
    }
    if cancels || stream.database.isClosed {
      world.note("cancel the stream")
      world.count("cancelled")
      stream.cancel()
      world.stream = nil
      return true
    }
    let (unknown, difference) = stream.replica.wait(for: stream.database.file.content, world.patience)
    world.note("the stream has delivered all changes\(unknown.map { ", or \($0)" } ?? "")")
    world.count(unknown ?? "complete")
    if let difference { try world.fail(difference) }
    if unknown != nil {
      stream.cancel()
      world.stream = nil
    }
    return true
  }
}

/// Records a changeset, applies it to a copy of the database, and undoes it there.
struct ModelRecord: ModelCommand {
  private let slot: Int
  private let steps: [ModelStep]

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    steps = ModelStep.list(&random)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot], database.error == nil, database.writeError == nil else { return false }
    let before = database.file.content
    var configuration = Configuration()
    configuration.foreignKeysEnabled = database.settings.foreignKeys
    let copy = try DatabaseQueue(configuration: configuration)
    try world.check("copy = DatabaseQueue(); db\(slot).backup(to: copy)", before.dump) {
      try database.writer.backup(to: copy)
      return try copy.read { try ModelContent.dump($0) }
    }
    var simulation = database.simulation(.autocommit, world.fault)
    let expected: String
    do throws(ModelError) {
      try simulation.transaction([.nest(.recording, steps, .commit, isCaught: false)], .commit)
      expected = "ok"
    } catch {
      expected = "throws \(error.label)"
    }
    var changes = Changeset()
    try world.check("changes = db\(slot).write { recordingChanges { \(ModelStep.text(steps)) } }", expected) {
      changes = try database.writer.write { db in
        try db.recordingChanges { try ModelPerformer(db: db, log: ModelLog()).run(steps) }
      }
      return "ok"
    }
    world.count(expected)
    database.file.commit(simulation.commits)
    try database.recorder?.check(before, database.file.content, world)
    // With schema changes, the foreign keys of all rows are checked.
    let content = database.file.content
    let isViolated = content.parts.values.contains { content.items[$0] == nil }
    if changes.hasSchemaChanges, database.settings.foreignKeys, isViolated { return true }
    try world.check("copy.write { apply(changes) }", content.dump) {
      try copy.write { db in
        _ = try db.apply(Changeset(decoding: changes.encoded()), schemaChanges: .execute)
        return try ModelContent.dump(db)
      }
    }
    // A row that violates a foreign key may refer to an inserted row, which must not be removed then.
    if changes.hasSchemaChanges
      || database.settings.foreignKeys && before.parts.values.contains(where: { before.items[$0] == nil })
    {
      return true
    }
    try world.check("copy.write { apply(changes.inverted()) }", before.dump) {
      try copy.write { db in
        _ = try db.apply(changes.inverted())
        return try ModelContent.dump(db)
      }
    }
    return true
  }
}
