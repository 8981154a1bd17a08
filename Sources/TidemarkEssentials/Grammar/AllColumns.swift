/// All the columns of a table: `*`.
///
/// ```swift
/// // SELECT *, "rowid" FROM "player"
/// let request = Player.select(.allColumns, .rowID)
/// ```
public struct AllColumns: Sendable, SQLSelectable {
  /// All the columns.
  public init() {}

  /// The columns, selected.
  public var sqlSelection: SQLSelection { .allColumns }
}

extension SQLSelectable where Self == AllColumns {
  /// All the columns of the table: `*`.
  public static var allColumns: AllColumns { AllColumns() }
}
