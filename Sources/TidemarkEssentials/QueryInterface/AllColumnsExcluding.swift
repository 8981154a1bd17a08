/// A selection of all columns of a table, except some.
///
/// ```swift
/// // SELECT "id", "name" FROM "player"
/// let request = Player.select(.allColumns(excluding: ["biography"]))
/// ```
///
/// The columns of the table are looked up each time the request is prepared, so that columns added later are selected.
public struct AllColumnsExcluding: Sendable, SQLSelectable {
  private let excluded: Set<String>

  /// Creates a selection of all columns, except those with the given names.
  ///
  /// - Parameter excludedColumns: The names of the columns to leave out. Names are case-insensitive, and names of
  ///   missing columns have no effect.
  public init(_ excludedColumns: some Collection<String>) {
    excluded = Set(excludedColumns.map { $0.asciiLowercased })
  }

  /// The selection, as a part of a query.
  public var sqlSelection: SQLSelection {
    SQLSelection(
      .deferred(
        SQLDeferredSelection { db, tableName in
          try db.columns(in: tableName).filter { !excluded.contains($0.name.asciiLowercased) }
            .map { .expression(.column($0.name)) }
        }))
  }
}

extension SQLSelectable where Self == AllColumnsExcluding {
  /// Returns a selection of all columns of the table, except those with the given names.
  ///
  /// ```swift
  /// let request = Player.select(.allColumns(excluding: ["biography"]))
  /// ```
  ///
  /// - Parameter excludedColumns: The names of the columns to leave out. Names are case-insensitive.
  public static func allColumns(excluding excludedColumns: some Collection<String>) -> AllColumnsExcluding {
    AllColumnsExcluding(excludedColumns)
  }

  /// Returns a selection of all columns of the table, except the given ones.
  ///
  /// ```swift
  /// let request = Player.select(.allColumns(excluding: [Column("biography")]))
  /// ```
  ///
  /// - Parameter excludedColumns: The columns to leave out.
  public static func allColumns(excluding excludedColumns: some Collection<any ColumnExpression>) -> AllColumnsExcluding
  {
    AllColumnsExcluding(excludedColumns.map { $0.name })
  }
}
