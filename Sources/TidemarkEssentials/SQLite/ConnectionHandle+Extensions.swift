import CSQLite
import Synchronization

extension DatabaseExtension {
  /// The C function of an extension that registers its functions, collations and modules on a connection.
  ///
  /// SQLite passes the connection, a place for an error message that is allocated with `sqlite3_malloc`, and a table of
  /// its functions. In C, with `sqlite3.h` included:
  ///
  /// ```c
  /// int sqlite3_vec_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi);
  /// ```
  public typealias EntryPoint =
    @convention(c) @Sendable (
      OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
    ) -> CInt
}

extension ConnectionHandle {
  /// Loads an extension from a shared library.
  ///
  /// C: `sqlite3_load_extension`. Only this C function is enabled, and only during the call: the SQL function
  /// `load_extension` remains disabled.
  func loadExtension(atPath path: String, entryPoint: String?) throws {
    guard tidemark_has_load_extension() != 0 else {
      throw DatabaseError(message: "the linked libsqlite3 was built without loadable extensions")
    }
    guard !path.utf8.contains(0), entryPoint?.utf8.contains(0) != true else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "its path or entry point contains a NUL character")
    }
    try set(.loadExtension, true)
    var text: UnsafeMutablePointer<CChar>?
    let code = sqlite3_load_extension(pointer, path, entryPoint, &text)
    defer { sqlite3_free(text) }
    // The extension itself may have enabled the SQL function.
    tidemark_disable_load_extension(pointer)
    try set(.loadExtension, false)
    try checkExtension(code, text)
  }

  /// Calls the entry point of an extension that the program contains.
  func registerExtension(_ entryPoint: DatabaseExtension.EntryPoint) throws {
    var text: UnsafeMutablePointer<CChar>?
    let code = entryPoint(pointer, &text, ExtensionInterface.pointer)
    defer { sqlite3_free(text) }
    tidemark_disable_load_extension(pointer)
    try checkExtension(code, text)
  }

  private func checkExtension(_ code: CInt, _ text: UnsafeMutablePointer<CChar>?) throws {
    let code = ResultCode(rawValue: code)
    if code == .SQLITE_OK || code == .SQLITE_OK_LOAD_PERMANENTLY { return }
    throw DatabaseError(resultCode: code, message: text.map { String(cString: $0) })
  }
}

/// SQLite's functions, as extensions use them.
private enum ExtensionInterface {
  private static let found = Atomic<UInt>(0)

  static var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

  /// The address of the argument of entry points. SQLite passes it only to extensions that it calls itself, so it calls
  /// one that stores it. Zero if SQLite was built without loadable extensions.
  ///
  /// C: `sqlite3_auto_extension`, `sqlite3_cancel_auto_extension`. Meanwhile, other threads may open connections, which
  /// is harmless: the function does not change them.
  private static let address: UInt = {
    let recorder: DatabaseExtension.EntryPoint = { _, _, interface in
      found.store(UInt(bitPattern: interface), ordering: .relaxed)
      return SQLITE_OK
    }
    let function = unsafeBitCast(recorder, to: (@convention(c) () -> Void).self)
    sqlite3_auto_extension(function)
    defer { sqlite3_cancel_auto_extension(function) }
    do {
      try ConnectionHandle.open(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).close()
    } catch {
      ErrorLog.write(.SQLITE_ERROR, "Could not find the functions for extensions: \(error)")
    }
    return found.load(ordering: .relaxed)
  }()
}
