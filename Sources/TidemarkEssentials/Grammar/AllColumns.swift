/// A selection of all columns of a table: `*`.
///
/// ```swift
/// // SELECT *, "rowid" FROM "player"
/// let request = Player.select(.allColumns, .rowID)
/// ```
public struct AllColumns: Sendable, SQLSelectable {
  /// Creates a selection of all columns.
  public init() {}

  /// The selection, as a part of a query.
  public var sqlSelection: SQLSelection { .allColumns }
}

extension SQLSelectable where Self == AllColumns {
  /// A selection of all columns of the table: `*`.
  public static var allColumns: AllColumns { AllColumns() }
}
