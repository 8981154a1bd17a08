// The names of SQLite's result codes.
//
// They are spelled in two places, `ResultCode.SQLITE_BUSY` and `DatabaseError.SQLITE_BUSY` (for
// `catch DatabaseError.SQLITE_BUSY`), so they are written once, on a protocol that both types adopt.

/// The types on which result codes can be named.
///
/// You do not adopt this protocol: `ResultCode` and `DatabaseError` do.
public protocol _ResultCodeNames {}

extension ResultCode: _ResultCodeNames {}

extension DatabaseError: _ResultCodeNames {}

// MARK: - Primary codes

extension _ResultCodeNames {
  /// `SQLITE_OK` (0): success.
  public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
  /// `SQLITE_ERROR` (1): an error in the SQL, or another error without a code of its own.
  public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
  /// `SQLITE_INTERNAL` (2): an internal error of SQLite.
  public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
  /// `SQLITE_PERM` (3): a new file has not the requested permissions.
  public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
  /// `SQLITE_ABORT` (4): the operation was aborted, for example because its transaction was rolled back.
  public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
  /// `SQLITE_BUSY` (5): another connection holds a lock.
  public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
  /// `SQLITE_LOCKED` (6): a conflict within the connection, or with a shared cache.
  public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
  /// `SQLITE_NOMEM` (7): out of memory.
  public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
  /// `SQLITE_READONLY` (8): the database cannot be written.
  public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
  /// `SQLITE_INTERRUPT` (9): the statement was interrupted.
  public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
  /// `SQLITE_IOERR` (10): the system reported an error of the disk.
  public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
  /// `SQLITE_CORRUPT` (11): the database file is damaged.
  public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
  /// `SQLITE_NOTFOUND` (12): an unknown file control opcode; internal to SQLite.
  public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
  /// `SQLITE_FULL` (13): the disk or the database is full.
  public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
  /// `SQLITE_CANTOPEN` (14): a file could not be opened.
  public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
  /// `SQLITE_PROTOCOL` (15): a lock of the write-ahead log could not be acquired.
  public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
  /// `SQLITE_EMPTY` (16): not used.
  public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
  /// `SQLITE_SCHEMA` (17): the schema has changed.
  public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
  /// `SQLITE_TOOBIG` (18): a text or blob is too large.
  public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
  /// `SQLITE_CONSTRAINT` (19): a constraint was violated.
  public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
  /// `SQLITE_MISMATCH` (20): a value has the wrong type.
  public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
  /// `SQLITE_MISUSE` (21): SQLite or this library was used incorrectly.
  public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
  /// `SQLITE_NOLFS` (22): the file system does not support large files.
  public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
  /// `SQLITE_AUTH` (23): the statement is not authorized.
  public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
  /// `SQLITE_FORMAT` (24): not used.
  public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
  /// `SQLITE_RANGE` (25): the number of a parameter or column is out of range.
  public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
  /// `SQLITE_NOTADB` (26): the file is not a database.
  public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
  /// `SQLITE_NOTICE` (27): a notice in the error log.
  public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
  /// `SQLITE_WARNING` (28): a warning in the error log.
  public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
  /// `SQLITE_ROW` (100)
  public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
  /// `SQLITE_DONE` (101)
  public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}
