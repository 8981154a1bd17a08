import CSQLite

/// The features of the linked libsqlite3, determined at run time.
enum SQLiteLibrary {
  /// 3040001 for 3.40.1. C: `sqlite3_libversion_number`.
  static let versionNumber = sqlite3_libversion_number()

  /// As in `3.40.1`. C: `sqlite3_libversion`.
  static let version = String(cString: sqlite3_libversion())

  /// Whether old and new values of changed rows are reported. C: `sqlite3_preupdate_hook`.
  static let hasPreupdateHook = tidemark_has_preupdate_hook() != 0

  /// Whether several connections can read the same snapshot. C: `sqlite3_snapshot_get`.
  static let hasSnapshot = tidemark_has_snapshot() != 0

  /// Whether changesets can be recorded and applied. C: `sqlite3session_create`.
  static let hasSession = tidemark_has_session() != 0
}
