/// A raw `sqlite3` pointer.
public typealias SQLiteConnection = OpaquePointer

/// A raw `sqlite3_stmt` pointer.
public typealias SQLiteStatement = OpaquePointer
