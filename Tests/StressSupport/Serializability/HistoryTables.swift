import Tidemark

/// The lists and registers of a history, in two tables.
package enum HistoryTables {
  package typealias Operation = TransactionHistory.Operation

  package static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE element (key INTEGER, position INTEGER, value INTEGER NOT NULL, PRIMARY KEY (key, position));
        CREATE TABLE register (key INTEGER PRIMARY KEY, value INTEGER NOT NULL)
        """)
  }

  /// Executes an operation.
  ///
  /// - Returns: The operation with what was read.
  package static func perform(_ operation: Operation, _ db: Database) throws -> Operation {
    switch operation {
    case .append(let key, let value):
      try db.cachedStatement(
        sql: "INSERT INTO element SELECT ?1, 1 + coalesce(max(position), 0), ?2 FROM element WHERE key = ?1"
      ).execute(arguments: [key, value])
      return operation
    case .write(let key, let value):
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO register VALUES (?, ?)").execute(arguments: [key, value])
      return operation
    case .list(let key, _):
      let statement = try db.cachedStatement(sql: "SELECT value FROM element WHERE key = ? ORDER BY position")
      return .list(key: key, try Int.fetchAll(statement, arguments: [key]))
    case .read(let key, _):
      let statement = try db.cachedStatement(sql: "SELECT value FROM register WHERE key = ?")
      return .read(key: key, try Int.fetchOne(statement, arguments: [key]))
    }
  }

  package static func perform(_ operations: [Operation], _ db: Database) throws -> [Operation] {
    try operations.map { try perform($0, db) }
  }

  /// Reads all keys of a history, a few in each transaction, for its end.
  package static func readAll(
    keyCount: Int, in reader: some DatabaseReader, session: Int, _ sink: some TransactionSink
  ) throws {
    for first in stride(from: 0, to: keyCount, by: 20) {
      let begin = moment()
      let operations = try reader.read { db in
        try perform((first..<min(first + 20, keyCount)).map { RandomSession.read(of: $0) }, db)
      }
      sink.ends(.init(session: session, begin: begin, end: moment(), operations: operations))
    }
  }

  /// A number that depends on all rows with their row IDs. C: FNV-1a.
  package static func digest(_ db: Database) throws -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for table in ["element", "register"] {
      let rows = try Row.fetchCursor(db, sql: "SELECT rowid, * FROM \(table) ORDER BY rowid")
      while let row = try rows.next() {
        for byte in "\(row)\n".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    }
    return Int64(bitPattern: hash)
  }
}
