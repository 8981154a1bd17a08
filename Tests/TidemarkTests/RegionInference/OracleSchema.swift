import Foundation

import Tidemark
@testable import TidemarkEssentials

/// A random table.
struct OracleTable {
  struct Column {
    var name: String
    var type: String
    var isGenerated = false

    /// The first word of the type.
    var affinity: ColumnAffinity {
      ColumnAffinity(ofDeclaredType: String(type.split(separator: " ").first ?? ""))
    }
  }

  /// The names of the database and of the table.
  var database: String
  var name: String
  var columns: [Column]

  /// The columns that identify its rows: the row ID, or the primary key.
  var identity: [String]

  var sql: String { "\(database).\(name)" }
  var storedColumns: [Column] { columns.filter { !$0.isGenerated } }
  var hasRowID: Bool { identity == ["rowid"] }
}

/// Random tables, views and indexes.
struct OracleSchema {
  var tables: [OracleTable] = []
  var views: [String] = []
  var statements: [String] = []

  /// - Parameter indexesEachColumn: Whether each column has an index, by which probes find rows.
  init(_ generator: inout SeededRandom, indexesEachColumn: Bool = false) {
    var names = [("main", "t0"), ("main", "t1"), ("main", "t2")]
    if Int.random(in: 0..<3, using: &generator) == 0 { names.append(("temp", "t0")) }
    if Int.random(in: 0..<3, using: &generator) == 0 { names.append(("arch", generator.pick(["t1", "t3"]))) }
    for (database, name) in names { addTable(database, name, &generator) }
    if indexesEachColumn {
      for table in tables {
        for column in table.storedColumns {
          let index = "\(table.database).e_\(table.name)_\(column.name)"
          statements.append("CREATE INDEX \(index) ON \(table.name) (\(column.name))")
        }
      }
    }
    for number in 0..<Int.random(in: 0...2, using: &generator) {
      let table = generator.pick(tables)
      let database = generator.pick(["temp", table.database])
      let source = database == "temp" ? table.sql : table.name
      let condition = OracleCondition.random(on: [("", table)], depth: 1, literalsOnly: true, &generator)
      let columns = table.columns.prefix(3).map(\.name).joined(separator: ", ")
      let name = "v\(number)"
      statements.append("CREATE VIEW \(database).\(name) AS SELECT \(columns) FROM \(source) WHERE \(condition.sql)")
      views.append(name)
    }
  }

  private mutating func addTable(_ database: String, _ name: String, _ generator: inout SeededRandom) {
    let types = [
      "INTEGER", "INT", "TEXT", "VARCHAR(9)", "REAL", "NUMERIC", "BLOB", "", "TEXT COLLATE NOCASE",
      "TEXT COLLATE RTRIM",
    ]
    var columns = (0..<Int.random(in: 2...4, using: &generator)).map {
      OracleTable.Column(name: "c\($0)", type: generator.pick(types))
    }
    var options = ""
    var identity = ["rowid"]
    var key: String?
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      columns.insert(.init(name: "k", type: generator.pick(["TEXT", "INT", "BLOB"])), at: 0)
      (options, identity, key) = (" WITHOUT ROWID", ["k"], "PRIMARY KEY (k)")
    case 1:
      break
    case 2:
      for index in columns.indices { columns[index].type = generator.pick(["INT", "TEXT", "REAL", "ANY", "BLOB"]) }
      columns.insert(.init(name: "id", type: "INTEGER"), at: 0)
      (options, key) = (" STRICT", "PRIMARY KEY (id)")
    default:
      columns.insert(.init(name: "id", type: "INTEGER"), at: 0)
      key = "PRIMARY KEY (id)"
    }
    var definitions = columns.map { "\($0.name) \($0.type)" }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let type = options == " STRICT" ? "TEXT" : ""
      columns.append(.init(name: "g", type: type, isGenerated: true))
      definitions.append("g \(type) AS (c0 || c1) \(generator.pick(["STORED", "VIRTUAL"]))")
    }
    if let key { definitions.append(key) }
    statements.append("CREATE TABLE \(database).\(name) (\(definitions.joined(separator: ", ")))\(options)")
    for number in 0..<Int.random(in: 0...4, using: &generator) {
      let indexed = [generator.pick(columns).name, generator.pick(columns).name].prefix(
        Int.random(in: 1...2, using: &generator))
      let condition = Int.random(in: 0..<4, using: &generator) == 0 ? " WHERE c0 IS NOT NULL" : ""
      let index = "i_\(database)_\(name)_\(number)"
      statements.append(
        "CREATE INDEX \(database).\(index) ON \(name) (\(indexed.joined(separator: ", ")))\(condition)")
    }
    tables.append(OracleTable(database: database, name: name, columns: columns, identity: identity))
  }

  // MARK: - Values

  /// Values that are easily confused.
  static let values: [DatabaseValue] = [
    .null, 0.databaseValue, 1.databaseValue, 2.databaseValue, 3.databaseValue, (-1).databaseValue, 5.databaseValue,
    0.5.databaseValue, 1.0.databaseValue, 2.5.databaseValue, DatabaseValue(.double(-0.0)), "".databaseValue,
    "a".databaseValue, "A".databaseValue, "a ".databaseValue, "b".databaseValue, "1".databaseValue,
    "01".databaseValue, "2.5".databaseValue, " 1".databaseValue, Data([97]).databaseValue, Data([49]).databaseValue,
    (Int64(1) << 53 + 1).databaseValue, 0x1p53.databaseValue,
  ]

  /// Values that a column stores unchanged.
  static func plainValues(for affinity: ColumnAffinity) -> [DatabaseValue] {
    switch affinity {
    case .integer, .numeric: (-1...6).map { $0.databaseValue }
    case .real: (-1...6).map { (Double($0) / 2).databaseValue }
    case .text: ["", "a", "A", "b", "c", "d"].map { $0.databaseValue }
    case .blob, .numericOrBlob: (-1...3).map { $0.databaseValue } + ["a".databaseValue, Data([97]).databaseValue]
    }
  }
}

extension DatabaseValue {
  /// The value as SQL.
  var oracleLiteral: String {
    switch storage {
    case .null: "NULL"
    case .int64(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .string(let text): "'\(text)'"
    case .blob(let data): "x'" + data.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }
}
