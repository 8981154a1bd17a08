/// What an update gives to a column.
///
/// ```swift
/// try Player.updateAll(db, Column("score").set(to: 0), Column("bonus") += 10)
/// // UPDATE "player" SET "score" = ?, "bonus" = "bonus" + ?   [0, 10]
/// ```
public struct ColumnAssignment: Sendable {
  /// The name of the column, without quotes.
  let columnName: String

  /// The new value, or nil for a column that is named in order to be left alone.
  let value: SQLExpression?
}

extension ColumnExpression {
  /// Gives a value to the column; nil is NULL.
  ///
  /// ```swift
  /// Column("score").set(to: 0)
  /// Column("score").set(to: Column("score") + Column("bonus"))
  /// ```
  public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
    ColumnAssignment(columnName: name, value: value?.sqlExpression ?? .value(.null))
  }

  /// Leaves the column alone, when an upsert finds a row that is there already.
  ///
  /// ```swift
  /// // Updates all columns but the title.
  /// try book.upsertAndFetch(db, onConflict: ["isbn"]) { _ in [Column("title").noOverwrite] }
  /// ```
  public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }
}
