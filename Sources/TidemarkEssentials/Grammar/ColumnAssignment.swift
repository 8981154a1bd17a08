/// An assignment of a value to a column in an `UPDATE` or upsert statement.
///
/// ```swift
/// try Player.updateAll(db, Column("score").set(to: 0), Column("bonus") += 10)
/// // UPDATE "player" SET "score" = ?, "bonus" = "bonus" + ?   [0, 10]
/// ```
public struct ColumnAssignment: Sendable {
  /// The name of the column, without quotes.
  let columnName: String

  /// The new value, or nil if an upsert must keep the current value of the column.
  let value: SQLExpression?
}

extension ColumnExpression {
  /// Returns an assignment of a value to the column.
  ///
  /// ```swift
  /// Column("score").set(to: 0)
  /// Column("score").set(to: Column("score") + Column("bonus"))
  /// ```
  ///
  /// - Parameter value: The new value. Nil stands for NULL.
  public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
    ColumnAssignment(columnName: name, value: value?.sqlExpression ?? .value(.null))
  }

  /// An assignment that keeps the current value of the column if an upsert finds an existing row.
  ///
  /// ```swift
  /// // Updates all columns except the title.
  /// try book.upsertAndFetch(db, onConflict: ["isbn"]) { _ in [Column("title").noOverwrite] }
  /// ```
  public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }
}
