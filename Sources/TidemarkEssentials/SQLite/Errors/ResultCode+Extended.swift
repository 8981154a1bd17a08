// MARK: - Extended codes
//
// An extended code is a primary code in its low eight bits, and a detail above them.

extension _ResultCodeNames {
  /// `SQLITE_OK_LOAD_PERMANENTLY`: 0 | 1 << 8
  public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { ResultCode(rawValue: 256) }
  /// `SQLITE_OK_SYMLINK`: 0 | 2 << 8
  public static var SQLITE_OK_SYMLINK: ResultCode { ResultCode(rawValue: 512) }
  /// `SQLITE_ERROR_MISSING_COLLSEQ`: 1 | 1 << 8
  public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { ResultCode(rawValue: 257) }
  /// `SQLITE_ERROR_RETRY`: 1 | 2 << 8
  public static var SQLITE_ERROR_RETRY: ResultCode { ResultCode(rawValue: 513) }
  /// `SQLITE_ERROR_SNAPSHOT`: 1 | 3 << 8
  public static var SQLITE_ERROR_SNAPSHOT: ResultCode { ResultCode(rawValue: 769) }
  /// `SQLITE_ABORT_ROLLBACK`: 4 | 2 << 8
  public static var SQLITE_ABORT_ROLLBACK: ResultCode { ResultCode(rawValue: 516) }
  /// `SQLITE_BUSY_RECOVERY`: 5 | 1 << 8
  public static var SQLITE_BUSY_RECOVERY: ResultCode { ResultCode(rawValue: 261) }
  /// `SQLITE_BUSY_SNAPSHOT`: 5 | 2 << 8
  public static var SQLITE_BUSY_SNAPSHOT: ResultCode { ResultCode(rawValue: 517) }
  /// `SQLITE_BUSY_TIMEOUT`: 5 | 3 << 8
  public static var SQLITE_BUSY_TIMEOUT: ResultCode { ResultCode(rawValue: 773) }
  /// `SQLITE_LOCKED_SHAREDCACHE`: 6 | 1 << 8
  public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { ResultCode(rawValue: 262) }
  /// `SQLITE_LOCKED_VTAB`: 6 | 2 << 8
  public static var SQLITE_LOCKED_VTAB: ResultCode { ResultCode(rawValue: 518) }
  /// `SQLITE_READONLY_RECOVERY`: 8 | 1 << 8
  public static var SQLITE_READONLY_RECOVERY: ResultCode { ResultCode(rawValue: 264) }
  /// `SQLITE_READONLY_CANTLOCK`: 8 | 2 << 8
  public static var SQLITE_READONLY_CANTLOCK: ResultCode { ResultCode(rawValue: 520) }
  /// `SQLITE_READONLY_ROLLBACK`: 8 | 3 << 8
  public static var SQLITE_READONLY_ROLLBACK: ResultCode { ResultCode(rawValue: 776) }
  /// `SQLITE_READONLY_DBMOVED`: 8 | 4 << 8
  public static var SQLITE_READONLY_DBMOVED: ResultCode { ResultCode(rawValue: 1032) }
  /// `SQLITE_READONLY_CANTINIT`: 8 | 5 << 8
  public static var SQLITE_READONLY_CANTINIT: ResultCode { ResultCode(rawValue: 1288) }
  /// `SQLITE_READONLY_DIRECTORY`: 8 | 6 << 8
  public static var SQLITE_READONLY_DIRECTORY: ResultCode { ResultCode(rawValue: 1544) }
  /// `SQLITE_IOERR_READ`: 10 | 1 << 8
  public static var SQLITE_IOERR_READ: ResultCode { ResultCode(rawValue: 266) }
  /// `SQLITE_IOERR_SHORT_READ`: 10 | 2 << 8
  public static var SQLITE_IOERR_SHORT_READ: ResultCode { ResultCode(rawValue: 522) }
  /// `SQLITE_IOERR_WRITE`: 10 | 3 << 8
  public static var SQLITE_IOERR_WRITE: ResultCode { ResultCode(rawValue: 778) }
  /// `SQLITE_IOERR_FSYNC`: 10 | 4 << 8
  public static var SQLITE_IOERR_FSYNC: ResultCode { ResultCode(rawValue: 1034) }
  /// `SQLITE_IOERR_DIR_FSYNC`: 10 | 5 << 8
  public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { ResultCode(rawValue: 1290) }
  /// `SQLITE_IOERR_TRUNCATE`: 10 | 6 << 8
  public static var SQLITE_IOERR_TRUNCATE: ResultCode { ResultCode(rawValue: 1546) }
  /// `SQLITE_IOERR_FSTAT`: 10 | 7 << 8
  public static var SQLITE_IOERR_FSTAT: ResultCode { ResultCode(rawValue: 1802) }
  /// `SQLITE_IOERR_UNLOCK`: 10 | 8 << 8
  public static var SQLITE_IOERR_UNLOCK: ResultCode { ResultCode(rawValue: 2058) }
  /// `SQLITE_IOERR_RDLOCK`: 10 | 9 << 8
  public static var SQLITE_IOERR_RDLOCK: ResultCode { ResultCode(rawValue: 2314) }
  /// `SQLITE_IOERR_DELETE`: 10 | 10 << 8
  public static var SQLITE_IOERR_DELETE: ResultCode { ResultCode(rawValue: 2570) }
  /// `SQLITE_IOERR_BLOCKED`: 10 | 11 << 8
  public static var SQLITE_IOERR_BLOCKED: ResultCode { ResultCode(rawValue: 2826) }
  /// `SQLITE_IOERR_NOMEM`: 10 | 12 << 8
  public static var SQLITE_IOERR_NOMEM: ResultCode { ResultCode(rawValue: 3082) }
  /// `SQLITE_IOERR_ACCESS`: 10 | 13 << 8
  public static var SQLITE_IOERR_ACCESS: ResultCode { ResultCode(rawValue: 3338) }
  /// `SQLITE_IOERR_CHECKRESERVEDLOCK`: 10 | 14 << 8
  public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { ResultCode(rawValue: 3594) }
  /// `SQLITE_IOERR_LOCK`: 10 | 15 << 8
  public static var SQLITE_IOERR_LOCK: ResultCode { ResultCode(rawValue: 3850) }
  /// `SQLITE_IOERR_CLOSE`: 10 | 16 << 8
  public static var SQLITE_IOERR_CLOSE: ResultCode { ResultCode(rawValue: 4106) }
  /// `SQLITE_IOERR_DIR_CLOSE`: 10 | 17 << 8
  public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { ResultCode(rawValue: 4362) }
  /// `SQLITE_IOERR_SHMOPEN`: 10 | 18 << 8
  public static var SQLITE_IOERR_SHMOPEN: ResultCode { ResultCode(rawValue: 4618) }
  /// `SQLITE_IOERR_SHMSIZE`: 10 | 19 << 8
  public static var SQLITE_IOERR_SHMSIZE: ResultCode { ResultCode(rawValue: 4874) }
  /// `SQLITE_IOERR_SHMLOCK`: 10 | 20 << 8
  public static var SQLITE_IOERR_SHMLOCK: ResultCode { ResultCode(rawValue: 5130) }
  /// `SQLITE_IOERR_SHMMAP`: 10 | 21 << 8
  public static var SQLITE_IOERR_SHMMAP: ResultCode { ResultCode(rawValue: 5386) }
  /// `SQLITE_IOERR_SEEK`: 10 | 22 << 8
  public static var SQLITE_IOERR_SEEK: ResultCode { ResultCode(rawValue: 5642) }
  /// `SQLITE_IOERR_DELETE_NOENT`: 10 | 23 << 8
  public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { ResultCode(rawValue: 5898) }
  /// `SQLITE_IOERR_MMAP`: 10 | 24 << 8
  public static var SQLITE_IOERR_MMAP: ResultCode { ResultCode(rawValue: 6154) }
  /// `SQLITE_IOERR_GETTEMPPATH`: 10 | 25 << 8
  public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { ResultCode(rawValue: 6410) }
  /// `SQLITE_IOERR_CONVPATH`: 10 | 26 << 8
  public static var SQLITE_IOERR_CONVPATH: ResultCode { ResultCode(rawValue: 6666) }
  /// `SQLITE_IOERR_VNODE`: 10 | 27 << 8
  public static var SQLITE_IOERR_VNODE: ResultCode { ResultCode(rawValue: 6922) }
  /// `SQLITE_IOERR_AUTH`: 10 | 28 << 8
  public static var SQLITE_IOERR_AUTH: ResultCode { ResultCode(rawValue: 7178) }
  /// `SQLITE_IOERR_BEGIN_ATOMIC`: 10 | 29 << 8
  public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { ResultCode(rawValue: 7434) }
  /// `SQLITE_IOERR_COMMIT_ATOMIC`: 10 | 30 << 8
  public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { ResultCode(rawValue: 7690) }
  /// `SQLITE_IOERR_ROLLBACK_ATOMIC`: 10 | 31 << 8
  public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { ResultCode(rawValue: 7946) }
  /// `SQLITE_IOERR_DATA`: 10 | 32 << 8
  public static var SQLITE_IOERR_DATA: ResultCode { ResultCode(rawValue: 8202) }
  /// `SQLITE_IOERR_CORRUPTFS`: 10 | 33 << 8
  public static var SQLITE_IOERR_CORRUPTFS: ResultCode { ResultCode(rawValue: 8458) }
  /// `SQLITE_CORRUPT_VTAB`: 11 | 1 << 8
  public static var SQLITE_CORRUPT_VTAB: ResultCode { ResultCode(rawValue: 267) }
  /// `SQLITE_CORRUPT_SEQUENCE`: 11 | 2 << 8
  public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { ResultCode(rawValue: 523) }
  /// `SQLITE_CORRUPT_INDEX`: 11 | 3 << 8
  public static var SQLITE_CORRUPT_INDEX: ResultCode { ResultCode(rawValue: 779) }
  /// `SQLITE_CANTOPEN_NOTEMPDIR`: 14 | 1 << 8
  public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { ResultCode(rawValue: 270) }
  /// `SQLITE_CANTOPEN_ISDIR`: 14 | 2 << 8
  public static var SQLITE_CANTOPEN_ISDIR: ResultCode { ResultCode(rawValue: 526) }
  /// `SQLITE_CANTOPEN_FULLPATH`: 14 | 3 << 8
  public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { ResultCode(rawValue: 782) }
  /// `SQLITE_CANTOPEN_CONVPATH`: 14 | 4 << 8
  public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { ResultCode(rawValue: 1038) }
  /// `SQLITE_CANTOPEN_DIRTYWAL`: 14 | 5 << 8
  public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { ResultCode(rawValue: 1294) }
  /// `SQLITE_CANTOPEN_SYMLINK`: 14 | 6 << 8
  public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { ResultCode(rawValue: 1550) }
  /// `SQLITE_CONSTRAINT_CHECK`: 19 | 1 << 8
  public static var SQLITE_CONSTRAINT_CHECK: ResultCode { ResultCode(rawValue: 275) }
  /// `SQLITE_CONSTRAINT_COMMITHOOK`: 19 | 2 << 8
  public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { ResultCode(rawValue: 531) }
  /// `SQLITE_CONSTRAINT_FOREIGNKEY`: 19 | 3 << 8
  public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { ResultCode(rawValue: 787) }
  /// `SQLITE_CONSTRAINT_FUNCTION`: 19 | 4 << 8
  public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { ResultCode(rawValue: 1043) }
  /// `SQLITE_CONSTRAINT_NOTNULL`: 19 | 5 << 8
  public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { ResultCode(rawValue: 1299) }
  /// `SQLITE_CONSTRAINT_PRIMARYKEY`: 19 | 6 << 8
  public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { ResultCode(rawValue: 1555) }
  /// `SQLITE_CONSTRAINT_TRIGGER`: 19 | 7 << 8
  public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { ResultCode(rawValue: 1811) }
  /// `SQLITE_CONSTRAINT_UNIQUE`: 19 | 8 << 8
  public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { ResultCode(rawValue: 2067) }
  /// `SQLITE_CONSTRAINT_VTAB`: 19 | 9 << 8
  public static var SQLITE_CONSTRAINT_VTAB: ResultCode { ResultCode(rawValue: 2323) }
  /// `SQLITE_CONSTRAINT_ROWID`: 19 | 10 << 8
  public static var SQLITE_CONSTRAINT_ROWID: ResultCode { ResultCode(rawValue: 2579) }
  /// `SQLITE_CONSTRAINT_PINNED`: 19 | 11 << 8
  public static var SQLITE_CONSTRAINT_PINNED: ResultCode { ResultCode(rawValue: 2835) }
  /// `SQLITE_CONSTRAINT_DATATYPE`: 19 | 12 << 8
  public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { ResultCode(rawValue: 3091) }
  /// `SQLITE_AUTH_USER`: 23 | 1 << 8
  public static var SQLITE_AUTH_USER: ResultCode { ResultCode(rawValue: 279) }
  /// `SQLITE_NOTICE_RECOVER_WAL`: 27 | 1 << 8
  public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { ResultCode(rawValue: 283) }
  /// `SQLITE_NOTICE_RECOVER_ROLLBACK`: 27 | 2 << 8
  public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { ResultCode(rawValue: 539) }
  /// `SQLITE_WARNING_AUTOINDEX`: 28 | 1 << 8
  public static var SQLITE_WARNING_AUTOINDEX: ResultCode { ResultCode(rawValue: 284) }
}
