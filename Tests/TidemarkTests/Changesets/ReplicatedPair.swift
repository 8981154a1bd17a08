import Testing
import Tidemark

@testable import TidemarkEssentials

/// Two databases: one executes SQL, the other one applies its changes.
struct ReplicatedPair {
  let source: any DatabaseWriter
  let target: any DatabaseWriter

  /// - Parameter setup: SQL that both databases execute by themselves.
  init(_ setup: String = "") throws {
    try self.init(DatabaseQueue(), DatabaseQueue(), setup)
  }

  init(_ source: any DatabaseWriter, _ target: any DatabaseWriter, _ setup: String = "") throws {
    (self.source, self.target) = (source, target)
    for database in [source, target] { try database.write { try $0.execute(sql: setup) } }
  }

  /// Executes a closure in the source, and applies its changes to the target, as bytes.
  ///
  /// - Returns: The descriptions of the changes.
  @discardableResult
  func replicate(_ updates: (Database) throws -> Void) throws -> [String] {
    let elements = try source.recordReplicated(updates)
    try target.applyReplicated(elements)
    return elements.map(\.description)
  }

  @discardableResult
  func replicate(_ sql: String) throws -> [String] { try replicate { try $0.execute(sql: sql) } }

  /// Executes SQL in the target, and applies its changes to the source.
  func replicateBack(_ sql: String) throws {
    try ReplicatedPair(target, source).replicate(sql)
  }

  /// Checks that both databases have the same schema, rows, row IDs, counters, and version.
  func expectEqual(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (own, other) = (try source.read { try $0.lines() }, try target.read { try $0.lines() })
    #expect(own == other, sourceLocation: sourceLocation)
  }

  /// Replicates SQL, and checks that the databases are equal.
  @discardableResult
  func check(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let changes = try replicate(sql)
    try expectEqual(sourceLocation: sourceLocation)
    return changes
  }
}

extension DatabaseWriter {
  /// Records a replicated write, and commits it.
  func recordReplicated(_ updates: (Database) throws -> Void) throws -> [TransactionChanges.Element] {
    try unsafeReentrantWrite { db in
      var elements: [TransactionChanges.Element] = []
      try db.inTransaction {
        elements = try db.recordingReplicatedChanges(updates).elements
        return .commit
      }
      return elements
    }
  }

  /// Encodes and decodes changes, and applies them.
  func applyReplicated(_ elements: [TransactionChanges.Element]) throws {
    let bytes = TransactionChanges(microsecondsSince1970: 0, elements: elements).encoded()
    let decoded = try TransactionChanges(decoding: bytes)
    try unsafeReentrantWrite { db in
      try db.inTransaction {
        try db.applyReplicatedChanges(decoded.elements)
        return .commit
      }
      try db.reloadVirtualTables()
    }
  }
}

extension Database {
  /// The schema, the rows with their row IDs, the counters, and the version.
  func lines() throws -> [String] {
    var lines = ["user_version \(try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0)"]
    let objects = try Row.fetchAll(
      self, sql: "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name, type")
    for object in objects {
      let (type, name, sql): (String, String, String?) = (object["type"], object["name"], object["sql"])
      lines.append("\(type) \(name): \(sql ?? "")")
      guard type == "table", sql?.hasPrefix("CREATE VIRTUAL") != true else { continue }
      lines += try rowLines(of: name)
    }
    return lines
  }

  private func rowLines(of table: String) throws -> [String] {
    let columns = try Row.fetchAll(self, sql: "PRAGMA table_xinfo(\(table.quotedDatabaseIdentifier))").map { row in
      "quote(\((row["name"] as String).quotedDatabaseIdentifier))"
    }
    let row = columns.joined(separator: " || ', ' || ")
    let name = table.quotedDatabaseIdentifier
    if table == "sqlite_sequence" { return try String.fetchAll(self, sql: "SELECT \(row) FROM \(name) ORDER BY name") }
    do {
      return try String.fetchAll(self, sql: "SELECT rowid || ': ' || \(row) FROM \(name) ORDER BY rowid")
    } catch is DatabaseError {
      // WITHOUT ROWID.
      return try String.fetchAll(self, sql: "SELECT \(row) FROM \(name)")
    }
  }
}
