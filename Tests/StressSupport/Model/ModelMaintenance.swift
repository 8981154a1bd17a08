import Foundation
import Tidemark

/// Calls that concern a database as a whole.
struct ModelMaintain: ModelCommand {
  private enum Action: String, CaseIterable {
    case vacuum, vacuumInto, passive, full, restart, truncate, releaseMemory, interrupt, erase, invalidate
    case attach, integrity, schemaCheck, inMemoryCopy
  }

  private let slot: Int
  private let action: Action
  private let isAsync: Bool
  private let query: ModelQuery

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    action = Action.allCases.randomElement(using: &random) ?? .vacuum
    isAsync = random.once(in: 2)
    query = ModelQuery(&random)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot] else { return false }
    switch action {
    case .attach, .vacuumInto, .inMemoryCopy: return try copy(database, world)
    case .passive, .full, .restart, .truncate: return try checkpoint(database, world)
    case .releaseMemory, .interrupt, .invalidate: return try call(database, world)
    case .vacuum: return try vacuum(database, world)
    case .erase: return try erase(database, world)
    case .integrity, .schemaCheck: return try checkIntegrity(database, world)
    }
  }

  private func call(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    if action == .invalidate, database.pool == nil { return false }
    if database.isClosed { return false }
    try world.check("db\(slot).\(action.rawValue)()", "ok") {
      switch action {
      case .releaseMemory:
        if let pool = database.pool {
          if isAsync { pool.releaseMemoryEventually() } else { pool.releaseMemory() }
        } else {
          (database.writer as? DatabaseQueue)?.releaseMemory()
        }
      case .invalidate: database.pool?.invalidateReadOnlyConnections()
      default: database.writer.interrupt()
      }
      return "ok"
    }
    if action == .interrupt { world.didInterrupt(database) }
    world.count(action.rawValue)
    return true
  }

  private func error(of database: ModelDatabase) -> ModelError? { database.error ?? database.writeError }

  private func checkpoint(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    if database.settings.isReadonly || database.isSuspended { return false }
    // Other modes than the passive one wait for readers of older states.
    if action != .passive, world.snapshots.contains(where: { $0?.file === database.file }) { return false }
    let mode: Database.CheckpointMode =
      switch action {
      case .full: .full
      case .restart: .restart
      case .truncate: .truncate
      default: .passive
      }
    try world.check("db\(slot).checkpoint(.\(action.rawValue))", database.isClosed ? "throws MISUSE" : "ok") {
      _ = try database.writer.writeWithoutTransaction { try $0.checkpoint(mode) }
      return "ok"
    }
    world.count(action.rawValue)
    return true
  }

  private func vacuum(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    try world.check("db\(slot).vacuum()", error(of: database).map { "throws \($0.label)" } ?? "ok") {
      let writer = database.writer
      if isAsync { try waiting { try await writer.vacuum() } } else { try writer.vacuum() }
      return "ok"
    }
    world.count(error(of: database)?.label ?? "vacuum")
    return true
  }

  private func erase(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    // Erasing is rare: it leaves little to do for other commands.
    if database.isSuspended || !isAsync || slot != 0 { return false }
    try world.check("db\(slot).erase()", error(of: database).map { "throws \($0.label)" } ?? "ok") {
      try database.writer.erase()
      return "ok"
    }
    world.count(error(of: database)?.label ?? "erase")
    if error(of: database) == nil {
      var content = ModelContent()
      content.userVersion = 0
      database.file.commit([content])
    }
    return true
  }

  private func checkIntegrity(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    try world.check("db\(slot).read { integrity_check }", database.isClosed ? "throws MISUSE" : "ok") {
      try database.writer.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } ?? "nothing"
    }
    world.count("integrity")
    return true
  }

  /// Makes a copy of the database, and compares its content.
  private func copy(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    if database.settings.isReadonly || database.isSuspended { return false }
    if action == .inMemoryCopy { return try copyInMemory(database, world) }
    let path = world.folder.path("copy.sqlite")
    unlink(path)
    let writer = database.writer
    try world.check("db\(slot).vacuum(into: copy)", database.isClosed ? "throws MISUSE" : "ok") {
      if isAsync { try waiting { try await writer.vacuum(into: path) } } else { try writer.vacuum(into: path) }
      return "ok"
    }
    if database.isClosed { return true }
    if action == .attach {
      world.command = "Attach"
      try world.check("db\(slot): ATTACH copy; read it; DETACH", database.file.content.dump) {
        try writer.writeWithoutTransaction { db in
          try db.execute(sql: "ATTACH ? AS other", arguments: [path])
          let text = try ModelContent.dump(db, schema: "other")
          try db.execute(sql: "DETACH other")
          return text
        }
      }
    } else {
      world.command = "VacuumInto"
      try world.check("read the copy", database.file.content.dump) {
        let copy = try DatabaseQueue(path: path)
        let text = try copy.read { try ModelContent.dump($0) }
        try copy.close()
        return text
      }
    }
    unlink(path)
    return true
  }

  private func copyInMemory(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    guard let path = database.file.path, database.file.exists else { return false }
    world.command = "InMemoryCopy"
    try world.check("DatabaseQueue.inMemoryCopy(fromPath:) of the file of db\(slot)", database.file.content.dump) {
      try DatabaseQueue.inMemoryCopy(fromPath: path).read { try ModelContent.dump($0) }
    }
    return true
  }
}

/// Copies a database into another one.
struct ModelBackup: ModelCommand {
  private let source: Int
  private let destination: Int
  private let pages: CInt
  private let isCancelled: Bool

  init(_ random: inout RandomNumbers) {
    source = random.below(3)
    destination = random.below(3)
    pages = [-1, 1, 3][random.below(3)]
    isCancelled = random.once(in: 4)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let from = world.databases[source], let to = world.databases[destination], from.file !== to.file else {
      return false
    }
    // A backup does not execute statements: it does not notice a suspension.
    if to.isSuspended || from.isSuspended || to.settings.hasFeed || from.settings.hasFeed { return false }
    // An empty database is copied in one step.
    let fails = isCancelled && pages == 1 && from.file.content.hasSchema
    var expected = "ok"
    if let error = to.error ?? from.error ?? (to.settings.isReadonly ? .readonly : nil) {
      expected = "throws \(error.label)"
    } else if fails {
      expected = "throws thrown"
    }
    try world.check("db\(source).backup(to: db\(destination), pagesPerStep: \(pages))", expected) {
      try from.writer.backup(to: to.writer, pagesPerStep: pages) { progress in
        if fails, !progress.isCompleted { throw ModelError.thrown }
      }
      return "ok"
    }
    world.count(expected)
    if expected == "ok" { to.file.commit([from.file.content]) }
    return true
  }
}

/// Deletes the file of closed databases, or replaces it by a copy of the other one.
struct ModelReplaceFile: ModelCommand {
  private let number: Int
  private let copies: Bool

  init(_ random: inout RandomNumbers) {
    number = random.below(2)
    copies = random.once(in: 2)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    let (file, other) = (world.files[number], world.files[1 - number])
    if !file.exists || world.isInUse(file) { return false }
    // Observations and closed databases refer to the versions of the file.
    if world.databases.contains(where: { $0?.file === file }) { return false }
    if world.snapshots.contains(where: { $0?.file === file }) { return false }
    if copies, !other.exists || world.isInUse(other) { return false }
    world.note(copies ? "copy the other file to file\(number)" : "delete file\(number)")
    world.count(copies ? "copy" : "delete")
    world.files[number] = ModelFile(path: file.path)
    file.delete()
    guard copies, let path = file.path, let source = other.path else { return true }
    do {
      // With the change feed, the log remains after closing.
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source + suffix) {
        try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
      }
    } catch {
      try world.fail("the file cannot be copied: \(error)")
    }
    world.files[number].adopt(other.content)
    return true
  }
}
