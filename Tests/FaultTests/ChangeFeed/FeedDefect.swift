import CSQLite
import StressSupport

/// A planted defect of a change feed: a control of the audit.
enum FeedDefect: CaseIterable {
  /// A committed transaction has no entry.
  case missingEntry

  /// A transaction has two entries.
  case repeatedEntry

  /// An entry contains other changes than its transaction.
  case otherChanges

  /// The last two entries are in the wrong order.
  case wrongOrder

  /// A row was changed, and the feed says nothing.
  case silentChange

  func plant(in path: String) throws {
    let db = try PlainDatabase(path: path, keepsLog: true)
    switch self {
    case .missingEntry:
      try db.execute("DELETE FROM tidemark_feed WHERE id = (SELECT max(id) FROM tidemark_feed)")
    case .repeatedEntry:
      try db.execute(
        """
        INSERT INTO tidemark_feed SELECT id + 1048576, header, changes FROM tidemark_feed ORDER BY id DESC LIMIT 1
        """)
    case .otherChanges:
      // The last byte of a text.
      try db.execute(
        """
        UPDATE tidemark_feed SET changes = CAST(substr(changes, 1, length(changes) - 1) || x'40' AS BLOB)
        WHERE id = (SELECT max(id) FROM tidemark_feed)
        """)
    case .wrongOrder:
      try db.execute(
        """
        CREATE TEMP TABLE swapped AS SELECT id, header, changes FROM tidemark_feed ORDER BY id DESC LIMIT 2;
        UPDATE tidemark_feed SET changes = (SELECT changes FROM swapped WHERE swapped.id != tidemark_feed.id)
        WHERE id IN (SELECT id FROM swapped)
        """)
    case .silentChange:
      try db.execute("UPDATE two SET filler = 'changed' WHERE n = (SELECT max(n) FROM two)")
    }
  }
}
