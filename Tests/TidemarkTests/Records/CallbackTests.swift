import Testing

import Tidemark
@testable import TidemarkEssentials

/// The calls of a record's callbacks, in order.
private final class CallbackJournal {
  var lines: [String] = []
  var failing: Set<String> = []

  func write(_ line: String) throws {
    lines.append(line)
    if failing.contains(line) { throw Planned() }
  }
}

private protocol Journaling: PersistableRecord {
  var journal: CallbackJournal { get }
}

extension Journaling {
  func willInsert(_ db: Database) throws { try journal.write("willInsert") }
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    try journal.write("aroundInsert {")
    _ = try insert()
    try journal.write("} aroundInsert")
  }
  func didInsert(_ inserted: InsertionSuccess) { journal.lines.append("didInsert") }
  func willUpdate(_ db: Database, columns: Set<String>) throws { try journal.write("willUpdate \(columns.sorted())") }
  func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
    try journal.write("aroundUpdate {")
    _ = try update()
    try journal.write("} aroundUpdate")
  }
  func didUpdate(_ updated: PersistenceSuccess) { journal.lines.append("didUpdate") }
  func willSave(_ db: Database) throws { try journal.write("willSave") }
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    try journal.write("aroundSave {")
    _ = try save()
    try journal.write("} aroundSave")
  }
  func didSave(_ saved: PersistenceSuccess) { journal.lines.append("didSave") }
  func willDelete(_ db: Database) throws { try journal.write("willDelete") }
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    try journal.write("aroundDelete {")
    _ = try delete()
    try journal.write("} aroundDelete")
  }
  func didDelete(deleted: Bool) { journal.lines.append("didDelete \(deleted)") }
}

private struct Player: Journaling, FetchableRecord {
  var id: Int64?
  var name = "a"
  var journal = CallbackJournal()

  init(id: Int64? = nil) { self.id = id }
  init(row: Row) throws { id = row["id"] }

  func encode(to container: inout PersistenceContainer) throws {
    try journal.write("encode")
    container["id"] = id
    container["name"] = name
  }
}

@discardableResult
private func inPlayers<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER)")
    return try body(db)
  }
}

/// The callbacks of records.
@Suite struct CallbackTests {
  private static let insertion = [
    "willSave", "aroundSave {", "willInsert", "aroundInsert {", "encode", "} aroundInsert", "didInsert",
    "} aroundSave", "didSave",
  ]

  private static let update = [
    "willSave", "aroundSave {", #"willUpdate ["id", "name", "score"]"#, "aroundUpdate {", "encode", "} aroundUpdate",
    "didUpdate", "} aroundSave", "didSave",
  ]

  private func journal(of player: Player = Player(id: 1), _ body: (Database, Player) throws -> Void) throws -> [String]
  {
    try inPlayers { db in
      try body(db, player)
      return player.journal.lines
    }
  }

  @Test func insertCallbacksRunInOrder() throws {
    #expect(try journal { try $1.insert($0) } == Self.insertion)
    #expect(try journal { _ = try $1.insertAndFetch($0) } == Self.insertion)
    #expect(try journal { try $1.upsert($0) } == Self.insertion)
  }

  @Test func updateCallbacksRunInOrder() throws {
    func existing(_ update: @escaping (Database, Player) throws -> Void) throws -> [String] {
      try journal { db, player in
        try db.execute(sql: "INSERT INTO player VALUES (1, 'z', 0)")
        try update(db, player)
      }
    }
    #expect(try existing { try $1.update($0) } == Self.update)
    #expect(try existing { _ = try $1.updateAndFetch($0) } == Self.update)
    #expect(
      try existing { try $1.update($0, columns: ["name"]) }
        == Self.update.map { $0.hasPrefix("willUpdate") ? #"willUpdate ["name"]"# : $0 })
    // The record reports before whether it has a key: a value is not requested again.
    #expect(
      try existing { try $1.save($0) }
        == ["willSave", "aroundSave {", "encode"] + Self.update.dropFirst(2).filter { $0 != "encode" })
  }

  @Test func saveOfAMissingRowContinuesWithAnInsert() throws {
    #expect(
      try journal { try $1.save($0) } == [
        "willSave", "aroundSave {", "encode", #"willUpdate ["id", "name", "score"]"#, "aroundUpdate {",
        "willInsert", "aroundInsert {", "encode", "} aroundInsert", "didInsert", "} aroundSave", "didSave",
      ])
    #expect(
      try journal(of: Player()) { try $1.save($0) }
        == ["willSave", "aroundSave {", "encode"] + Self.insertion.dropFirst(2))
  }

  @Test func deleteCallbacksRunInOrder() throws {
    let deletion = ["willDelete", "aroundDelete {", "encode", "} aroundDelete"]
    #expect(try journal { try $1.delete($0) } == deletion + ["didDelete false"])
    #expect(try journal(of: Player()) { try $1.delete($0) } == deletion + ["didDelete false"])
  }

  @Test func existenceChecksRunNoCallback() throws {
    #expect(try journal { _ = try $1.exists($0) } == ["encode"])
  }

  // Invariant 1: a callback that throws prevents everything that would follow.
  @Test(arguments: [
    "willSave", "aroundSave {", "willInsert", "aroundInsert {", "encode", "} aroundInsert", "} aroundSave",
  ])
  func throwingCallbacksStopTheOperation(callback: String) throws {
    try inPlayers { db in
      let player = Player(id: 1)
      player.journal.failing = [callback]
      #expect(throws: Planned.self) { try player.insert(db) }
      #expect(player.journal.lines == Array(Self.insertion.prefix { $0 != callback }) + [callback])
      // The transaction must undo the statements that were executed before.
      let isExecuted = callback.hasPrefix("}")
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
      #expect(count == (isExecuted ? 1 : 0))
    }
  }

  @Test func failedStatementsSkipLaterCallbacks() throws {
    try inPlayers { db in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'z', 0)")
      let player = Player(id: 1)
      #expect(throws: DatabaseError.self) { try player.insert(db) }
      #expect(player.journal.lines.last == "encode")
      // The statement can be used again immediately.
      player.journal.lines = []
      try Player(id: 2).insert(db)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2)
    }
  }

  // MARK: - Receivers

  @Test func callbacksMutateAStructInOrder() throws {
    struct Draft: Codable, MutablePersistableRecord, FetchableRecord {
      static let databaseTableName = "player"
      var id: Int64?
      var name: String
      mutating func willInsert(_ db: Database) throws { name += " will" }
      func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        let inserted = try insert()
        #expect(inserted.rowIDColumn == "id")
        #expect(inserted.persistenceContainer["ID"]?.databaseValue == inserted.rowID.databaseValue)
        #expect(inserted.persistenceContainer["name"]?.databaseValue == "a will".databaseValue)
        #expect(name == "a will")
        #expect(id == nil)
      }
      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
      func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        let saved = try save()
        #expect(saved.persistenceContainer["id"]?.databaseValue == 1.databaseValue)
      }
      func didSave(_ saved: PersistenceSuccess) {
        #expect(id == 1)
        #expect(name == "a will")
      }
    }
    try inPlayers { db in
      var draft = Draft(name: "a")
      try draft.insert(db)
      #expect(draft.id == 1)
      #expect(draft.name == "a will")
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "a will")
    }
  }

  @Test func callbacksCanWriteRecordsOfTheSameType() throws {
    struct ChainedRecord: Codable, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      var name: String
      func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        if id < 3 { try ChainedRecord(id: id + 1, name: "\(id + 1)").insert(db) }
        _ = try insert()
        if id < 3 { try ChainedRecord(id: id + 10, name: "\(id + 10)").insert(db, onConflict: .ignore) }
      }
    }
    try inPlayers { db in
      try ChainedRecord(id: 1, name: "1").insert(db)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id") == [1, 2, 3, 11, 12])
    }
  }

  // MARK: - Broken contracts

  private struct Forgetful: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64 = 1
    var forgets: String
    enum CodingKeys: String, CodingKey { case id }
    init(forgets: String) { self.forgets = forgets }
    init(from decoder: any Decoder) throws { forgets = "" }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
      if forgets != "aroundSave" { _ = try save() }
    }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
      if forgets != "aroundInsert" { _ = try insert() }
    }
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
      if forgets != "aroundUpdate" { _ = try update() }
    }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
      if forgets != "aroundDelete" { _ = try delete() }
    }
  }

  @Test(arguments: [
    ("aroundSave", "save"), ("aroundInsert", "insert"), ("aroundUpdate", "update"), ("aroundDelete", "delete"),
  ])
  func aroundCallbacksMustCallTheirClosure(callback: String, closure: String) throws {
    try inPlayers { db throws in
      let record = Forgetful(forgets: callback)
      let error = #expect(throws: DatabaseError.self) {
        switch callback {
        case "aroundUpdate": try record.update(db)
        case "aroundDelete": try record.delete(db)
        default: try record.insert(db)
        }
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(
        error?.message == "Forgetful.\(callback) did not call its \(closure) closure: call it once, or throw an error")
      #expect(try Table("player").fetchCount(db) == 0)
    }
  }

  // Invariant 2: an error that a callback hides is thrown all the same.
  @Test func hiddenErrorsAreThrown() throws {
    struct Secretive: EncodableRecord, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      var saves: Locked<Int>
      func encode(to container: inout PersistenceContainer) { container["id"] = id }
      func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        do { _ = try insert() } catch {}
      }
      func didSave(_ saved: PersistenceSuccess) { saves.update { $0 += 1 } }
    }
    try inPlayers { db in
      let saves = Locked(0)
      try Secretive(id: 1, saves: saves).insert(db)
      let error = #expect(throws: DatabaseError.self) { try Secretive(id: 1, saves: saves).insert(db) }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
      #expect(saves.value == 1)
    }
  }

  // The "not found" error of another record does not count for this record.
  @Test func saveInsertsOnlyForItsOwnMissingRow() throws {
    struct Child: Codable, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        throw RecordError.recordNotFound(databaseTableName: "player", key: ["id": id.databaseValue])
      }
      func willInsert(_ db: Database) throws { Issue.record("there was an error") }
    }
    try inPlayers { db in
      #expect(throws: RecordError.self) { try Child(id: 1).save(db) }
    }
  }
}
