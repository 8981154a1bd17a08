extension Database {
  /// The action that SQLite takes if an insertion or an update violates a constraint.
  public enum ConflictResolution: String, Sendable {
    /// Fails, and rolls back the transaction.
    case rollback = "ROLLBACK"

    /// Fails, and undoes the changes of the statement. It is SQLite's default.
    case abort = "ABORT"

    /// Fails, and keeps the earlier changes of the statement.
    case fail = "FAIL"

    /// Skips the row, and continues.
    case ignore = "IGNORE"

    /// Deletes the conflicting rows, and continues.
    case replace = "REPLACE"
  }
}
