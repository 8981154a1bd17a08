/// Which columns of an existing row an upsert updates, in addition to the columns of its assignments.
///
/// ```swift
/// // INSERT INTO "player" ("id", "name", "score") VALUES (1, 'Arthur', 100)
/// // ON CONFLICT DO UPDATE SET "score" = "score" + 1
/// // RETURNING *, "rowid"
/// let player = try Player(id: 1, name: "Arthur", score: 100)
///   .upsertAndFetch(db, updating: .noColumnUnlessSpecified) { _ in
///     [Column("score") += 1]
///   }
/// ```
public enum UpsertUpdateStrategy: Sendable {
  /// All columns that the record encodes are set to its values, except the columns of the primary key and of the
  /// conflict target.
  case allColumns

  /// No other column is updated.
  ///
  /// Without an assignment, the existing row keeps its values. It still counts as updated: update triggers run, and the
  /// change is reported to observers, because SQLite does not return a row that `DO NOTHING` has left alone.
  case noColumnUnlessSpecified
}
