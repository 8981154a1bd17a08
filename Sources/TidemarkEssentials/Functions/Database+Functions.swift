extension Database {
  /// Adds a function to the connection, in place of one of the same name and number of arguments.
  ///
  /// - precondition: SQLite accepts the name and the number of arguments.
  public func add(function: DatabaseFunction) {
    compilation.willRedefine(function.name)
    must("The function \(function.name) could not be added") { handle in
      try handle.addFunction(
        function.name, argumentCount: function.id.argumentCount,
        function.traits(isUntrusted: settings.isUntrusted), function.box())
    }
  }

  /// Removes a function from the connection.
  public func remove(function: DatabaseFunction) {
    compilation.willRedefine(function.name)
    must("The function \(function.name) could not be removed") { handle in
      try handle.removeFunction(function.name, argumentCount: function.id.argumentCount)
    }
  }

  /// Adds a collation to the connection, in place of one of the same name.
  public func add(collation: DatabaseCollation) {
    compilation.willRedefine(collation.name)
    must("The collation \(collation.name) could not be added") { handle in
      try handle.addCollation(collation.name, collation.box())
    }
  }

  /// Removes a collation from the connection.
  public func remove(collation: DatabaseCollation) {
    compilation.willRedefine(collation.name)
    must("The collation \(collation.name) could not be removed") { handle in
      try handle.removeCollation(collation.name)
    }
  }

  /// Adds a function, or throws why SQLite does not accept it.
  package func tryAdding(_ function: DatabaseFunction) throws {
    preconditionAccess()
    compilation.willRedefine(function.name)
    try openHandle().addFunction(
      function.name, argumentCount: function.id.argumentCount,
      function.traits(isUntrusted: settings.isUntrusted), function.box())
  }

  /// Adds a collation, or throws why SQLite does not accept it.
  package func tryAdding(_ collation: DatabaseCollation) throws {
    preconditionAccess()
    compilation.willRedefine(collation.name)
    try openHandle().addCollation(collation.name, collation.box())
  }

  /// Adds the library's own functions and collations, when the connection opens.
  ///
  /// - throws: An error of code `SQLITE_NOMEM`.
  func addStandardFunctions() throws {
    let handle = try openHandle()
    for function in DatabaseFunction.standard {
      try handle.addFunction(
        function.name, argumentCount: function.id.argumentCount,
        function.traits(isUntrusted: settings.isUntrusted), function.box())
    }
    for collation in DatabaseCollation.standard { try handle.addCollation(collation.name, collation.box()) }
  }

  // These methods do not throw, and SQLite refuses for a fault of the program only: a name that is too long,
  // a function that is added while a statement uses it. A closed connection has no functions, and runs nothing.
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
