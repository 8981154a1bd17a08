// Records inside a row: those of its scopes, and those of the rows that were loaded along with it.

extension Row {
  /// The record of the scope of that name that is nearest.
  ///
  /// ```swift
  /// struct BookInfo: FetchableRecord {
  ///   var book: Book
  ///   var author: Author?
  ///
  ///   init(row: Row) throws {
  ///     book = try Book(row: row)
  ///     author = try row.decodeIfPresent(forKey: "author")
  ///   }
  /// }
  /// ```
  ///
  /// - throws: A `RowDecodingError` when there is no such scope, or when it has nothing but NULL; and what the record
  ///   throws.
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = scopesTree[scope] else { throw missingScope(scope) }
    guard row.containsNonNullValue else {
      throw RowDecodingError("scope \(String(reflecting: scope)) only contains null values", row: self)
    }
    return try Record(row: row)
  }

  /// The record of the scope of that name that is nearest, or nil when there is no such scope, or when it has nothing
  /// but NULL.
  ///
  /// - throws: What the record throws.
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
    return try Record(row: row)
  }

  /// The records of the rows that were loaded along with this one, under that name.
  ///
  /// - throws: A `RowDecodingError` when there are no rows of that name; and what a record throws.
  public func decode<Records>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    var records = Records()
    for row in try prefetchedRows(forKey: key) { records.append(try Records.Element(row: row)) }
    return records
  }

  /// The distinct records of the rows that were loaded along with this one, under that name.
  ///
  /// - throws: A `RowDecodingError` when there are no rows of that name; and what a record throws.
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    try Set(prefetchedRows(forKey: key).map { try Record(row: $0) })
  }
}

// MARK: - Subscripts

extension Row {
  /// The record of the scope of that name that is nearest.
  ///
  /// - precondition: There is such a scope, it has more than NULL, and the record does not throw.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    Self.trapping { try decode(Record.self, forKey: scope) }
  }

  /// The record of the scope of that name that is nearest, or nil when there is no such scope, or when it has nothing
  /// but NULL.
  ///
  /// - precondition: The record does not throw.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    Self.trapping { try decodeIfPresent(Record.self, forKey: scope) }
  }

  /// The records of the rows that were loaded along with this one, under that name.
  ///
  /// - precondition: There are rows of that name, and no record throws.
  public subscript<Records>(_ key: String) -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    Self.trapping { try decode(Records.self, forKey: key) }
  }

  /// The distinct records of the rows that were loaded along with this one, under that name.
  ///
  /// - precondition: There are rows of that name, and no record throws.
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    Self.trapping { try decode(Set<Record>.self, forKey: key) }
  }

  // A type that is both a record and a value is a value when it is read from a column.
  /// The value of the leftmost column of that name. Case does not count.
  ///
  /// - precondition: There is such a column, and its value is of that type.
  public subscript<Value: DatabaseValueConvertible & FetchableRecord>(_ columnName: String) -> Value {
    decodeOrTrap(Value.self, key: columnName)
  }

  /// The value of the leftmost column of that name, or nil for NULL and for a missing column. Case does not count.
  ///
  /// - precondition: The value is of that type.
  public subscript<Value: DatabaseValueConvertible & FetchableRecord>(_ columnName: String) -> Value? {
    decodeOrTrap(Value?.self, key: columnName)
  }

  private static func trapping<Result>(_ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      trap(error)
    }
  }
}

// MARK: - What is missing

extension Row {
  private func prefetchedRows(forKey key: String) throws -> [Row] {
    if let rows = prefetchedRows[key] { return rows }
    throw missing("key for prefetched rows not found", key, available: "keys", prefetchedRows.keys)
  }

  private func missingScope(_ scope: String) -> RowDecodingError {
    missing("scope not found", scope, available: "scopes", scopesTree.names)
  }

  private func missing(
    _ what: String, _ name: String, available kind: String, _ names: Set<String>
  ) -> RowDecodingError {
    let others = names.isEmpty ? "" : " - available \(kind): \(names.sorted())"
    return RowDecodingError("\(what): \(String(reflecting: name))\(others)", row: self)
  }
}
