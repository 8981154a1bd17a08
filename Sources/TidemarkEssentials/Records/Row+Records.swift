// Decoding records from the scopes and the prefetched rows of a row.

extension Row {
  /// Decodes the record in a scope. If several scopes have the name, the one nearest to the root is used.
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
  /// - Throws: A `RowDecodingError` if the scope is missing or contains only NULL; or an error of the record.
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = scopeForDecoding(scope) else { throw missingScope(scope) }
    guard row.containsNonNullValue else {
      throw RowDecodingError("scope \(String(reflecting: scope)) only contains null values", row: self)
    }
    return try Record(row: row)
  }

  /// Decodes the record in a scope. Returns nil if the scope is missing or contains only NULL.
  ///
  /// ```swift
  /// let author: Author? = try row.decodeIfPresent(forKey: "author")
  /// ```
  ///
  /// - Throws: The errors of the record.
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = scopeForDecoding(scope), row.containsNonNullValue else { return nil }
    return try Record(row: row)
  }

  /// Decodes a collection of records from the prefetched rows with a key.
  ///
  /// ```swift
  /// let books: [Book] = try row.decode(forKey: "books")
  /// ```
  ///
  /// - Throws: A `RowDecodingError` if rows with this key were not prefetched; or an error of a record.
  public func decode<Records>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    var records = Records()
    let list = try prefetchedList(forKey: key)
    records.reserveCapacity(list.count)
    try forEachForDecoding(list, forKey: key) { records.append(try Records.Element(row: $0)) }
    return records
  }

  /// Decodes a set of records from the prefetched rows with a key.
  ///
  /// - Throws: A `RowDecodingError` if rows with this key were not prefetched; or an error of a record.
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    var records: Set<Record> = []
    try forEachForDecoding(prefetchedList(forKey: key), forKey: key) { records.insert(try Record(row: $0)) }
    return records
  }
}

// MARK: - Subscripts

extension Row {
  /// The record in a scope. If several scopes have the name, the one nearest to the root is used.
  ///
  /// - Precondition: The scope exists and contains a value that is not NULL, and the record does not throw.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    Self.trapping { try decode(Record.self, forKey: scope) }
  }

  /// The record in a scope, or nil if the scope is missing or contains only NULL.
  ///
  /// - Precondition: The record does not throw.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    Self.trapping { try decodeIfPresent(Record.self, forKey: scope) }
  }

  /// The records in the prefetched rows with a key.
  ///
  /// - Precondition: Rows with this key were prefetched, and no record throws.
  public subscript<Records>(_ key: String) -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    Self.trapping { try decode(Records.self, forKey: key) }
  }

  /// The distinct records in the prefetched rows with a key.
  ///
  /// - Precondition: Rows with this key were prefetched, and no record throws.
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    Self.trapping { try decode(Set<Record>.self, forKey: key) }
  }

  // These subscripts resolve an ambiguity: a type that is both a record and a value is read from a column as a value.
  /// The value of the leftmost column with a name. Column names are case-insensitive.
  ///
  /// - Precondition: The column exists and its value can be converted to the type.
  public subscript<Value: DatabaseValueConvertible & FetchableRecord>(_ columnName: String) -> Value {
    decodeOrTrap(Value.self, key: columnName)
  }

  /// The value of the leftmost column with a name, or nil if the column is missing or NULL. Column names are
  /// case-insensitive.
  ///
  /// - Precondition: The value can be converted to the type.
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
  private func prefetchedList(forKey key: String) throws -> RowList {
    if let list = prefetched[key] { return list }
    throw missing("key for prefetched rows not found", key, available: "keys", prefetched.keys)
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
