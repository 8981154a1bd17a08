/// All the columns of a table but some.
///
/// ```swift
/// // SELECT "id", "name" FROM "player"
/// let request = Player.select(.allColumns(excluding: ["biography"]))
/// ```
public struct AllColumnsExcluding: Sendable, SQLSelectable {
  private let excluded: Set<String>

  /// All the columns but those of some names. Case does not count.
  public init(_ excludedColumns: some Collection<String>) {
    excluded = Set(excludedColumns.map { $0.asciiLowercased })
  }

  /// The columns, selected.
  public var sqlSelection: SQLSelection {
    SQLSelection(
      .late(
        SQLLateSelection { db, tableName in
          try db.columns(in: tableName).filter { !excluded.contains($0.name.asciiLowercased) }
            .map { .expression(.column($0.name)) }
        }))
  }
}

extension SQLSelectable where Self == AllColumnsExcluding {
  /// All the columns of the table but those of some names. Case does not count.
  public static func allColumns(excluding excludedColumns: some Collection<String>) -> AllColumnsExcluding {
    AllColumnsExcluding(excludedColumns)
  }

  /// All the columns of the table but some.
  public static func allColumns(excluding excludedColumns: some Collection<any ColumnExpression>) -> AllColumnsExcluding
  {
    AllColumnsExcluding(excludedColumns.map { $0.name })
  }
}
