/// The facts about a table or view, as of the last detected change of the schema.
///
/// The catalog replaces this object when the schema changes. `Database.catalogTable(_:in:)` returns the same object as
/// long as values that were derived from it remain valid.
final class CatalogTable {
  enum Kind {
    case table
    case view
    case virtualTable
  }

  /// The database that contains the table, and the name of the table as it was created.
  let id: DatabaseObjectID
  let kind: Kind

  /// The statement that created the table, or nil if the schema table does not list it.
  let sql: String?

  /// The columns, including the hidden columns of a virtual table.
  let allColumns: [ColumnInfo]

  /// The columns that `SELECT *` returns.
  let columns: [ColumnInfo]

  private let columnIndexes: [String: Int]

  // Computed on first use.
  private var knownIndexes: [IndexInfo]?
  private var knownForeignKeys: [ForeignKeyInfo]?
  private var knownKey: PrimaryKeyInfo?
  private var knownRowIDName: String??
  var knownFacts: TableFacts?

  init(_ object: SchemaObjects.Object?, _ id: DatabaseObjectID, columns: [ColumnInfo]) {
    self.id = id
    sql = object?.sql
    kind =
      switch object {
      case let object? where object.type == "view": .view
      case let object? where object.sql?.isVirtualTableCreation == true: .virtualTable
      case nil where id.name.asciiLowercased.hasPrefix("sqlite_"): .table
      case nil: .virtualTable
      default: .table
      }
    allColumns = columns
    self.columns = columns.filter { $0.kind != .hidden }
    let indexes = columns.enumerated().map { ($1.name.asciiLowercased, $0) }
    columnIndexes = Dictionary(indexes, uniquingKeysWith: { first, _ in first })
  }

  /// The name, as it was created.
  var name: String { id.name }

  /// The quoted name in SQL, qualified with the name of its database.
  var qualifiedSQL: String { "\(id.schemaID.sql).\(name.quotedDatabaseIdentifier)" }

  /// Returns the column with a name. Names are case-insensitive.
  func column(named name: String) -> ColumnInfo? {
    columnIndexes[name.asciiLowercased].map { allColumns[$0] }
  }

  /// Returns a name of the row ID that no column uses, if the table has a row ID.
  func rowIDName(_ db: Database) throws -> String? {
    if let knownRowIDName { return knownRowIDName }
    let name = try hasRowID(db) ? freeRowIDName : nil
    knownRowIDName = .some(name)
    return name
  }

  private var freeRowIDName: String? {
    ["rowid", "_rowid_", "oid"].first { columnIndexes[$0] == nil }
  }
}

// MARK: - Keys and indexes

extension CatalogTable {
  /// Returns the indexes, except those on expressions.
  func indexes(_ db: Database) throws -> [IndexInfo] {
    if let knownIndexes { return knownIndexes }
    let indexes = try db.lookUp("PRAGMA \(id.schemaID.sql).index_list(\(name.quotedDatabaseIdentifier))")
      .compactMap { row -> IndexInfo? in
        let indexName: String = row["name"]
        let rows = try db.lookUp("PRAGMA \(id.schemaID.sql).index_xinfo(\(indexName.quotedDatabaseIdentifier))")
          .filter { $0["key"] }
        let columns = rows.compactMap { $0["name"] as String? }
        guard columns.count == rows.count else { return nil }
        return IndexInfo(
          name: indexName, columns: columns, isUnique: row["unique"],
          origin: IndexInfo.Origin(rawValue: row["origin"]), isPartial: row["partial"],
          collations: rows.map { $0["coll"] })
      }
    knownIndexes = indexes
    return indexes
  }

  /// Whether the table has a key: a primary key, or a row ID that no column hides.
  func hasKey(_ db: Database) throws -> Bool {
    if kind == .view { return try viewKey(db) != nil }
    return freeRowIDName != nil || allColumns.contains { $0.primaryKeyIndex > 0 }
  }

  /// Returns the primary key, or nil for a view whose key no schema source defines.
  func primaryKey(_ db: Database) throws -> PrimaryKeyInfo? {
    if let knownKey { return knownKey }
    let key = kind == .view ? try viewKey(db) : try tableKey(db)
    knownKey = key
    return key
  }

  private func tableKey(_ db: Database) throws -> PrimaryKeyInfo {
    let columns = allColumns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    if columns.isEmpty {
      guard let name = freeRowIDName else {
        throw DatabaseError(message: "table \(name) has no primary key, and its columns hide its row ID")
      }
      return .hiddenRowID(name)
    }
    // Every primary key has an index, except the row ID. `INTEGER PRIMARY KEY DESC` is not the row ID.
    if kind == .table, try !indexes(db).contains(where: { $0.origin == .primaryKeyConstraint }) {
      return .rowID(columns[0])
    }
    return try .regular(columns, hasRowID: hasRowID(db))
  }

  /// Returns the key of a view, as defined by the schema source.
  private func viewKey(_ db: Database) throws -> PrimaryKeyInfo? {
    guard let names = try db.schemaSource?.columnsForPrimaryKey(db, inView: id), !names.isEmpty else { return nil }
    let columns = names.map { name in
      guard let column = column(named: name) else {
        fatalError("The schema source returned the column \(name) for view \(self.name), which does not have it")
      }
      return column
    }
    return .regular(columns, hasRowID: false)
  }

  /// Returns whether rows have row IDs. If there is a primary key with an index, the index then contains the row ID.
  private func hasRowID(_ db: Database) throws -> Bool {
    switch kind {
    case .view: return false
    case .virtualTable: return true
    case .table: break
    }
    return try keyIndex(db)?.contains { $0.column == nil } ?? true
  }

  /// A column in the index of a primary key.
  private struct KeyIndexColumn {
    /// The index of the column in the table; nil for the row ID.
    var column: Int?
    var collation: String

    /// Whether the column belongs to the key, and is not only stored with it.
    var isKey: Bool
  }

  /// Returns the columns in the index of the primary key; nil if there is no such index.
  private func keyIndex(_ db: Database) throws -> [KeyIndexColumn]? {
    guard let index = try indexes(db).first(where: { $0.origin == .primaryKeyConstraint }) else { return nil }
    let sql = "PRAGMA \(id.schemaID.sql).index_xinfo(\(index.name.quotedDatabaseIdentifier))"
    return try db.lookUp(sql).map { row in
      let column: Int = row["cid"]
      return KeyIndexColumn(column: column < 0 ? nil : column, collation: row["coll"], isKey: row["key"])
    }
  }

  /// Returns the indexes of the columns in the order in which SQLite stores the values of a table without row IDs. The
  /// primary key comes first. It may contain a column several times, with different collations.
  func keyedOrder(_ db: Database) throws -> [Int] { try keyIndex(db)?.compactMap(\.column) ?? [] }

  /// Returns the columns and collations by which a primary key that is not the row ID identifies a row. A collation may
  /// differ from the collation of the column, and a column may occur several times.
  func keyTerms(_ db: Database) throws -> [(column: String, collation: String)] {
    try keyIndex(db)?.filter(\.isKey).compactMap { term in
      term.column.map { (allColumns[$0].name, term.collation) }
    } ?? []
  }

  /// Returns the columns of a key that matches at most one row, if the given columns contain such a key.
  ///
  /// The primary key has precedence over unique indexes. A partial index does not identify rows.
  func columnsForUniqueKey(in names: some Sequence<String>, _ db: Database) throws -> [String]? {
    let names = Set(names.map(\.asciiLowercased))
    if names.isEmpty { return nil }
    func contains(_ columns: [String]) -> Bool { columns.allSatisfy { names.contains($0.asciiLowercased) } }
    let key = try primaryKey(db)
    if let key, contains(key.columns) { return key.columns }
    if kind == .view { return nil }
    if let index = try indexes(db).first(where: { $0.isUnique && !$0.isPartial && contains($0.columns) }) {
      return index.columns
    }
    // The row ID has three names.
    let rowIDNames = ["rowid", "_rowid_", "oid"].filter { names.contains($0) && columnIndexes[$0] == nil }
    return try rowIDNames.isEmpty || !hasRowID(db) ? nil : [rowIDNames[0]]
  }
}

// MARK: - Foreign keys

extension CatalogTable {
  func foreignKeys(_ db: Database) throws -> [ForeignKeyInfo] {
    if let knownForeignKeys { return knownForeignKeys }
    let rows = try db.lookUp("PRAGMA \(id.schemaID.sql).foreign_key_list(\(name.quotedDatabaseIdentifier))")
    var keys: [ForeignKeyInfo] = []
    for (id, rows) in rows.chunked(by: "id") {
      let destination: String = rows[0]["table"]
      let origins = rows.map { $0["from"] as String }
      var destinations = rows.compactMap { $0["to"] as String? }
      if destinations.count < origins.count {
        // A foreign key without destination columns refers to the primary key. It stays in its database.
        let table = try db.catalogTable(destination, in: self.id.schemaID.name)
        destinations = try table?.primaryKey(db)?.columns ?? []
      }
      keys.append(
        ForeignKeyInfo(
          id: id, destinationTable: destination, originColumns: origins, destinationColumns: destinations))
    }
    knownForeignKeys = keys
    return keys
  }
}

extension [Row] {
  /// Returns groups of consecutive rows with the same number in a column, in the order of `seq`.
  fileprivate func chunked(by column: String) -> [(Int, [Row])] {
    reduce(into: []) { chunks, row in
      let number: Int = row[column]
      if chunks.last?.0 == number {
        chunks[chunks.count - 1].1.append(row)
      } else {
        chunks.append((number, [row]))
      }
    }
  }
}

extension String {
  /// Whether the text is a `CREATE VIRTUAL TABLE` statement.
  var isVirtualTableCreation: Bool {
    var tokens = SQLTokenizer(self)
    let words = (0..<2).map { _ in tokens.next() == nil ? "" : self[tokens.range].asciiUppercased }
    return words == ["CREATE", "VIRTUAL"]
  }
}
