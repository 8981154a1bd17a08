extension Database {
  typealias ResultHandler = @Sendable (Result<Database, any Error>) -> Void

  /// Runs an access that calls back: once, with the connection, or with the error for which there was none.
  ///
  /// An error of the end of the access, such as a commit that fails, comes too late to be told: it is logged.
  ///
  /// - parameter access: Calls its argument with the connection, or throws.
  static func telling(_ handler: @escaping ResultHandler, _ access: ((Database) -> Void) throws -> Void) {
    var isTold = false
    do {
      try access { db in
        isTold = true
        handler(.success(db))
      }
    } catch {
      if isTold {
        log(error, "An access could not be ended")
      } else {
        handler(.failure(error))
      }
    }
  }
}
