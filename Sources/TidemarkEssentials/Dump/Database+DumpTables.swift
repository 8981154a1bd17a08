/// When the names of tables are written by ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
public enum DumpTableHeaderOptions: Sendable {
  /// The names are written if there are several tables.
  case automatic

  /// The names are always written.
  case always
}

extension Database {
  /// Writes the rows of tables and views as text.
  ///
  /// ```swift
  /// // author
  /// // 7|Frank
  /// //
  /// // book
  /// // 1|Dune|7
  /// try db.dumpTables(["author", "book"])
  /// ```
  ///
  /// The rows of a table are ordered by its primary key, or by its row ID if it has none. The rows of a view have the
  /// order of the view.
  ///
  /// - Parameter tables: The names of tables and views. Names are case-insensitive.
  /// - Parameter format: The text format.
  /// - Parameter tableHeader: When the name of a table precedes its rows.
  /// - Parameter stableOrder: Whether the rows of a view are ordered by all its columns, so that two dumps of the same
  ///   rows are equal.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if a table does not exist or SQLite fails, or an error of the format. The text of
  ///   the rows before it is written.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
    stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
  ) throws {
    var stream = DumpStream(stream)
    try dump(
      tables, format, hasHeaders: tableHeader == .always || tables.count > 1, isStable: stableOrder, to: &stream)
  }

  /// Writes the rows of tables, with an empty line between them.
  func dump(
    _ tables: [String], _ format: some DumpFormat, hasHeaders: Bool, isStable: Bool, to stream: inout DumpStream
  ) throws {
    for (index, name) in tables.enumerated() {
      if index > 0 { stream.margin() }
      if hasHeaders { stream.write("\(name)\n") }
      try dump(dumpedRows(ofTable: name, isStable: isStable), format, to: &stream)
    }
  }

  private func dumpedRows(ofTable name: String, isStable: Bool) throws -> QueryInterfaceRequest<Row> {
    let request = Table<Row>(name).all()
    // Without a table, the request itself throws an error with its SQL.
    guard let table = try catalogTable(name) else { return request }
    if table.kind == .view { return isStable ? request.withStableOrder() : request }
    // A table whose columns hide its row ID is ordered by all its columns.
    guard try table.hasKey(self) else {
      return request.order(table.columns.indices.map { SQL(sql: "\($0 + 1)").sqlExpression })
    }
    return request.orderByPrimaryKey()
  }
}
