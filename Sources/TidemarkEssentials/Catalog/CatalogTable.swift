/// What is known of a table or of a view, as it was when the schema was last seen to change.
///
/// It is replaced by another object when the schema changes: `Database.catalogTable(_:in:)` answers the same object
/// as long as what was made of it still holds.
final class CatalogTable {
  enum Kind {
    case table
    case view
    case virtualTable
  }

  /// The database that it is in, and its name as it was created.
  let id: DatabaseObjectID
  let kind: Kind

  /// The statement that made it; nil for a table that the schema table does not list.
  let sql: String?

  /// The columns, with those that a virtual table hides.
  let allColumns: [ColumnInfo]

  /// The columns that `SELECT *` has.
  let columns: [ColumnInfo]

  private let columnIndexes: [String: Int]

  // Found when they are asked for.
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

  /// The name, after that of its database, as it can stand in SQL.
  var qualifiedSQL: String { "\(id.schemaID.sql).\(name.quotedDatabaseIdentifier)" }

  /// The column of that name, in which the case of letters does not count.
  func column(named name: String) -> ColumnInfo? {
    columnIndexes[name.asciiLowercased].map { allColumns[$0] }
  }

  /// A name of the row id that no column has taken, if there is a row id.
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
  /// The indexes, but for those on expressions.
  func indexes(_ db: Database) throws -> [IndexInfo] {
    if let knownIndexes { return knownIndexes }
    let indexes = try db.lookUp("PRAGMA \(id.schemaID.sql).index_list(\(name.quotedDatabaseIdentifier))")
      .compactMap { row -> IndexInfo? in
        let indexName: String = row["name"]
        let rows = try db.lookUp("PRAGMA \(id.schemaID.sql).index_info(\(indexName.quotedDatabaseIdentifier))")
        let columns = rows.compactMap { $0["name"] as String? }
        guard columns.count == rows.count else { return nil }
        return IndexInfo(
          name: indexName, columns: columns, isUnique: row["unique"],
          origin: IndexInfo.Origin(rawValue: row["origin"]), isPartial: row["partial"])
      }
    knownIndexes = indexes
    return indexes
  }

  /// The primary key, or nil for a view of which no schema source knows one.
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
        throw DatabaseError(message: "table \(name) has no primary key, and its columns hide its row id")
      }
      return .hiddenRowID(name)
    }
    // An index stands for every primary key but the row id; `INTEGER PRIMARY KEY DESC` is not the row id.
    if kind == .table, try !indexes(db).contains(where: { $0.origin == .primaryKeyConstraint }) {
      return .rowID(columns[0])
    }
    return try .regular(columns, hasRowID: hasRowID(db))
  }

  /// The key of a view is what a schema source says.
  private func viewKey(_ db: Database) throws -> PrimaryKeyInfo? {
    guard let names = try db.schemaSource?.columnsForPrimaryKey(db, inView: id), !names.isEmpty else { return nil }
    let columns = names.map { name in
      guard let column = column(named: name) else {
        fatalError("The schema source gives the column \(name) to the key of view \(self.name), which has none")
      }
      return column
    }
    return .regular(columns, hasRowID: false)
  }

  /// Whether rows have ids: they are then in the index of the primary key, if there is one.
  private func hasRowID(_ db: Database) throws -> Bool {
    switch kind {
    case .view: return false
    case .virtualTable: return true
    case .table: break
    }
    guard let index = try indexes(db).first(where: { $0.origin == .primaryKeyConstraint }) else { return true }
    let sql = "PRAGMA \(id.schemaID.sql).index_xinfo(\(index.name.quotedDatabaseIdentifier))"
    return try db.lookUp(sql).contains { $0["cid"] == -1 }
  }

  /// The columns of a key that identifies one row at most, if the given columns contain such a key.
  ///
  /// The primary key comes first, then unique indexes. An index that leaves rows out identifies nothing.
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
    // The row id has three names.
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
        // Without columns, the primary key is meant. A foreign key stays in its database.
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
  /// The rows that follow each other with the same number in a column, in the order of `seq`.
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
  /// Whether the text is that of a `CREATE VIRTUAL TABLE` statement.
  fileprivate var isVirtualTableCreation: Bool {
    var tokens = SQLTokenizer(self)
    let words = (0..<2).map { _ in tokens.next() == nil ? "" : self[tokens.range].uppercased() }
    return words == ["CREATE", "VIRTUAL"]
  }
}
