extension Database {
  /// What an insert or an update does with rows that break a constraint.
  public enum ConflictResolution: String, Sendable {
    /// Undoes the transaction, and fails.
    case rollback = "ROLLBACK"

    /// Undoes what the statement did, and fails. SQLite does it by default.
    case abort = "ABORT"

    /// Fails, and keeps what the statement did before.
    case fail = "FAIL"

    /// Leaves the row out, and goes on.
    case ignore = "IGNORE"

    /// Deletes the rows that are in the way.
    case replace = "REPLACE"
  }
}
