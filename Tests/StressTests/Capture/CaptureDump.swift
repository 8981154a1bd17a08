import Tidemark
@testable import TidemarkEssentials

/// The content of a database, row by row, with which the changes of a transaction are compared.
struct CaptureDump {
  /// A table and its rows, by identity.
  struct Table {
    var columns: [String]
    var keyColumns: [String]
    var hasRowID: Bool
    var rows: [RowIdentity: [String: DatabaseValue]] = [:]
  }

  /// The ID of a row, or the columns of its key.
  struct RowIdentity: Hashable {
    var words: String
  }

  private(set) var tables: [TableKey: Table] = [:]
  var virtualTables: [TableKey: [String]] = [:]

  init(_ db: Database, _ shapes: CaptureShapes) throws {
    for shape in shapes.tables {
      var table = Table(columns: shape.columns, keyColumns: shape.keyColumns, hasRowID: shape.hasRowID)
      for row in try Row.fetchAll(db.cachedStatement(sql: shape.query)) {
        var values: [String: DatabaseValue] = [:]
        for (index, column) in shape.columns.enumerated() { values[column] = row[index] }
        let rowID: Int64? = shape.hasRowID ? row[shape.columns.count] : nil
        table.rows[Self.identity(rowID, values, shape.keyColumns)] = values
      }
      tables[shape.key] = table
    }
    for (key, query) in shapes.virtualTables {
      do {
        virtualTables[key] = try Row.fetchAll(db.cachedStatement(sql: query)).map { "\($0.databaseValues)" }.sorted()
      } catch let error as DatabaseError {
        // The table of its content may have been removed.
        virtualTables[key] = [error.message ?? ""]
      }
    }
  }

  static func identity(
    _ rowID: Int64?, _ values: [String: DatabaseValue], _ keyColumns: [String]
  ) -> RowIdentity {
    if let rowID { return RowIdentity(words: "#\(rowID)") }
    return RowIdentity(words: keyColumns.map { words(values[$0]) }.joined(separator: "|"))
  }

  /// Returns the value with its storage class. Texts are written as bytes.
  static func words(_ value: DatabaseValue?) -> String {
    switch value?.storage {
    case nil: "?"
    case .null?: "NULL"
    case .int64(let integer)?: "i\(integer)"
    case .double(let double)?: "d\(double)"
    case .string(let text)?: "t\(Array(text.utf8))"
    case .blob(let data)?: "b\(Array(data))"
    }
  }
}

/// The columns and keys of all tables, which are valid until the schema changes.
struct CaptureShapes {
  struct Table {
    var key: TableKey
    var columns: [String]
    var keyColumns: [String]
    var hasRowID: Bool
    var query: String

    /// The columns that can be written, and whether the table is a shadow table of a virtual table.
    var writableColumns: [String]
    var isShadow: Bool
    var sql: String { "\"\(key.database)\".\"\(key.name)\"" }
  }

  var tables: [Table] = []
  var virtualTables: [(TableKey, String)] = []

  init(_ db: Database) throws {
    let listed = try Row.fetchAll(db, sql: "PRAGMA table_list")
    for row in listed {
      let (name, database, type): (String, String, String) = (row["name"], row["schema"], row["type"])
      let key = TableKey(name, in: database)
      if name.hasPrefix("sqlite_") || type == "view" || CaptureNeeds.isTableOfLibrary(name) { continue }
      let sql = "\(database.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
      if type == "virtual" {
        virtualTables.append((key, "SELECT * FROM \(sql)"))
        continue
      }
      let columns = try Row.fetchAll(
        db, sql: "PRAGMA \(database.quotedDatabaseIdentifier).table_xinfo(\(name.quotedDatabaseIdentifier))")
      // Virtual generated columns are not reported.
      let stored = columns.filter { $0["hidden"] != 2 }
      let names = stored.map { ($0["name"] as String).lowercased() }
      let hasRowID: Bool = !(row["wr"] as Bool)
      let selected =
        stored.map { ($0["name"] as String).quotedDatabaseIdentifier } + (hasRowID ? [Self.rowIDName(columns)] : [])
      tables.append(
        Table(
          key: key, columns: names,
          keyColumns: columns.filter { ($0["pk"] as Int) > 0 }.map { ($0["name"] as String).lowercased() },
          hasRowID: hasRowID, query: "SELECT \(selected.joined(separator: ", ")) FROM \(sql)",
          writableColumns: columns.filter { $0["hidden"] == 0 }.map { $0["name"] }, isShadow: type == "shadow"))
    }
  }
  /// A name of the row ID that no column has.
  ///
  /// - Parameter columns: The rows of `PRAGMA table_xinfo`.
  static func rowIDName(_ columns: [Row]) -> String {
    let names = Set(columns.map { ($0["name"] as String).lowercased() })
    return ["rowid", "oid", "_rowid_"].first { !names.contains($0) } ?? "rowid"
  }
}
