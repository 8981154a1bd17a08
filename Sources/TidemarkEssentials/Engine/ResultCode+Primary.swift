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
  /// `SQLITE_OK` (0)
  public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
  /// `SQLITE_ERROR` (1)
  public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
  /// `SQLITE_INTERNAL` (2)
  public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
  /// `SQLITE_PERM` (3)
  public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
  /// `SQLITE_ABORT` (4)
  public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
  /// `SQLITE_BUSY` (5)
  public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
  /// `SQLITE_LOCKED` (6)
  public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
  /// `SQLITE_NOMEM` (7)
  public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
  /// `SQLITE_READONLY` (8)
  public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
  /// `SQLITE_INTERRUPT` (9)
  public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
  /// `SQLITE_IOERR` (10)
  public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
  /// `SQLITE_CORRUPT` (11)
  public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
  /// `SQLITE_NOTFOUND` (12)
  public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
  /// `SQLITE_FULL` (13)
  public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
  /// `SQLITE_CANTOPEN` (14)
  public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
  /// `SQLITE_PROTOCOL` (15)
  public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
  /// `SQLITE_EMPTY` (16)
  public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
  /// `SQLITE_SCHEMA` (17)
  public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
  /// `SQLITE_TOOBIG` (18)
  public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
  /// `SQLITE_CONSTRAINT` (19)
  public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
  /// `SQLITE_MISMATCH` (20)
  public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
  /// `SQLITE_MISUSE` (21)
  public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
  /// `SQLITE_NOLFS` (22)
  public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
  /// `SQLITE_AUTH` (23)
  public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
  /// `SQLITE_FORMAT` (24)
  public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
  /// `SQLITE_RANGE` (25)
  public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
  /// `SQLITE_NOTADB` (26)
  public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
  /// `SQLITE_NOTICE` (27)
  public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
  /// `SQLITE_WARNING` (28)
  public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
  /// `SQLITE_ROW` (100)
  public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
  /// `SQLITE_DONE` (101)
  public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}
