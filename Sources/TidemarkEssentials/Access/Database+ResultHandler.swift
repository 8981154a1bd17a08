extension Database {
  typealias ResultHandler = @Sendable (Result<Database, any Error>) -> Void

  /// Wraps the call of a callback with operations before and after it.
  typealias ResultScope = @Sendable (_ db: Database, _ call: (Database) -> Void) throws -> Void

  /// Runs an access with a callback, which is called once, with the connection or with an error.
  ///
  /// An error at the end of the access, such as a failed commit, is too late for the callback: it is logged.
  ///
  /// - Parameter access: Calls its argument with the connection, or throws.
  static func callingHandler(_ handler: @escaping ResultHandler, _ access: ((Database) -> Void) throws -> Void) {
    var isCalled = false
    do {
      try access { db in
        isCalled = true
        handler(.success(db))
      }
    } catch {
      if isCalled {
        log(error, "Could not end an access")
      } else {
        handler(.failure(error))
      }
    }
  }
}
