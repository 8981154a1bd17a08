extension Database {
  /// Adds a function to the connection. It replaces a function with the same name and number of arguments.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   db.add(function: DatabaseFunction("double", argumentCount: 1, pure: true) { values in
  ///     Int.fromDatabaseValue(values[0]).map { $0 * 2 }
  ///   })
  /// }
  /// ```
  ///
  /// - Parameter function: A function.
  /// - Precondition: SQLite accepts the name and the number of arguments.
  public func add(function: DatabaseFunction) {
    compilation.willRedefine(function.name)
    must("The function \(function.name) could not be added") { handle in
      try handle.addFunction(
        function.name, argumentCount: function.id.argumentCount,
        function.traits(isUntrusted: settings.isUntrusted), function.box())
    }
  }

  /// Removes a function from the connection.
  ///
  /// ```swift
  /// db.remove(function: reversed)
  /// ```
  ///
  /// - Parameter function: A function. Functions are identified by name and number of arguments.
  public func remove(function: DatabaseFunction) {
    compilation.willRedefine(function.name)
    must("The function \(function.name) could not be removed") { handle in
      try handle.removeFunction(function.name, argumentCount: function.id.argumentCount)
    }
  }

  /// Adds a collation to the connection. It replaces a collation with the same name.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in db.add(collation: byLength) }
  /// ```
  ///
  /// - Parameter collation: A collation.
  public func add(collation: DatabaseCollation) {
    compilation.willRedefine(collation.name)
    must("The collation \(collation.name) could not be added") { handle in
      try handle.addCollation(collation.name, collation.box())
    }
  }

  /// Removes a collation from the connection.
  ///
  /// ```swift
  /// db.remove(collation: byLength)
  /// ```
  ///
  /// - Parameter collation: A collation. Collations are identified by name.
  public func remove(collation: DatabaseCollation) {
    compilation.willRedefine(collation.name)
    must("The collation \(collation.name) could not be removed") { handle in
      try handle.removeCollation(collation.name)
    }
  }

  /// Adds a function, or throws an error if SQLite rejects it.
  package func tryAdding(_ function: DatabaseFunction) throws {
    preconditionAccess()
    compilation.willRedefine(function.name)
    try openHandle().addFunction(
      function.name, argumentCount: function.id.argumentCount,
      function.traits(isUntrusted: settings.isUntrusted), function.box())
  }

  /// Adds a collation, or throws an error if SQLite rejects it.
  package func tryAdding(_ collation: DatabaseCollation) throws {
    preconditionAccess()
    compilation.willRedefine(collation.name)
    try openHandle().addCollation(collation.name, collation.box())
  }

  /// Adds the standard functions and collations of the library when the connection is opened.
  ///
  /// - Throws: An error of code `SQLITE_NOMEM`.
  func addStandardFunctions() throws {
    let handle = try openHandle()
    for function in DatabaseFunction.standard {
      try handle.addFunction(
        function.name, argumentCount: function.id.argumentCount,
        function.traits(isUntrusted: settings.isUntrusted), function.box())
    }
    for collation in DatabaseCollation.standard { try handle.addCollation(collation.name, collation.box()) }
  }

  // These methods do not throw. SQLite rejects a function only after a programmer error: its name is too long, or a
  // running statement uses the function. If the connection is closed, they have no effect.
  private func must(_ failure: String, _ body: (ConnectionHandle) throws -> Void) {
    preconditionAccess()
    guard let handle else { return }
    do {
      try body(handle)
    } catch {
      fatalError("\(failure): \(error)")
    }
  }
}
