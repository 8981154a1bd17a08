public import Foundation
import Tidemark

// SQLite calls these closures while it runs statements of the connection, one at a time.

extension Connection {
  /// Adds an SQL function.
  ///
  /// ```swift
  /// db.createFunction("reversed", argumentCount: 1, deterministic: true) { args in
  ///   (args[0] as? String).map { String($0.reversed()) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - functionName: The name of the function in SQL. A function with the same name and number of arguments is
  ///     replaced.
  ///   - argumentCount: The number of arguments; nil for any number.
  ///   - deterministic: Whether equal arguments always have the same result.
  ///   - block: Receives the arguments, each of them an `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL. If
  ///     it throws, the statement fails with its error.
  public func createFunction(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false,
    _ block: @escaping (_ args: [(any Binding)?]) throws -> (any Binding)?
  ) {
    access { db in
      db.add(
        function: function(functionName, argumentCount.map { Int($0) }, deterministic) { values in
          DatabaseValue(try block(values.map(\.binding)))
        })
    }
  }

  /// Adds an SQL function without arguments, and returns a Swift function that builds calls of it.
  ///
  /// ```swift
  /// let dice = try db.createFunction("dice") { Int.random(in: 1...6) }
  /// let lucky = users.filter(dice() == 6)
  /// ```
  ///
  /// - Parameters:
  ///   - function: The name of the function in SQL.
  ///   - deterministic: Whether the result is always the same.
  ///   - block: Returns the result of the function. If it throws, the statement fails with its error.
  /// - Returns: A Swift function that returns the call as an expression.
  /// - Throws: A ``Result`` if the function cannot be added.
  public func createFunction<R: ExpressionDatatype>(
    _ function: String, deterministic: Bool = false, _ block: @escaping () throws -> R
  ) throws -> () -> SQLExpression<R> {
    try add(function, 0, deterministic) { _ in try block()._binding }
    return { .function(function.quote()) }
  }

  /// Adds an SQL function with one argument, and returns a Swift function that builds calls of it.
  ///
  /// ```swift
  /// let domain = try db.createFunction("domain", deterministic: true) { (address: String) in
  ///   String(address.split(separator: "@").last ?? "")
  /// }
  /// let colleagues = users.filter(domain(email) == "mac.com")
  /// ```
  ///
  /// - Parameters:
  ///   - function: The name of the function in SQL.
  ///   - deterministic: Whether equal arguments always have the same result.
  ///   - block: Receives the argument, and returns the result. If it throws, the statement fails with its error.
  /// - Returns: A Swift function that returns the call as an expression.
  /// - Throws: A ``Result`` if the function cannot be added.
  public func createFunction<A: ExpressionDatatype, R: ExpressionDatatype>(
    _ function: String, deterministic: Bool = false, _ block: @escaping (A) throws -> R
  ) throws -> (SQLExpression<A>) -> SQLExpression<R> {
    try add(function, 1, deterministic) { values in try block(values.argument(0))._binding }
    return { .function(function.quote(), $0.expression) }
  }

  /// Adds an SQL function with two arguments, and returns a Swift function that builds calls of it.
  ///
  /// ```swift
  /// let typeConformsTo: (SQLExpression<String>, SQLExpression<String>) -> SQLExpression<Bool> = (
  ///   try db.createFunction("typeConformsTo", deterministic: true) { UTI, conformsToUTI in
  ///     conforms(UTI, conformsToUTI)
  ///   }
  /// )
  /// let images = attachments.filter(typeConformsTo(UTI, SQLExpression(value: "public.image")))
  /// ```
  ///
  /// - Parameters:
  ///   - function: The name of the function in SQL.
  ///   - deterministic: Whether equal arguments always have the same result.
  ///   - block: Receives the arguments, and returns the result. If it throws, the statement fails with its error.
  /// - Returns: A Swift function that returns the call as an expression.
  /// - Throws: A ``Result`` if the function cannot be added.
  public func createFunction<A: ExpressionDatatype, B: ExpressionDatatype, R: ExpressionDatatype>(
    _ function: String, deterministic: Bool = false, _ block: @escaping (A, B) throws -> R
  ) throws -> (SQLExpression<A>, SQLExpression<B>) -> SQLExpression<R> {
    try add(function, 2, deterministic) { values in try block(values.argument(0), values.argument(1))._binding }
    return { .function(function.quote(), $0.expression, $1.expression) }
  }

  private func add(
    _ name: String, _ argumentCount: Int, _ deterministic: Bool,
    _ body: @escaping ([DatabaseValue]) throws -> (any Binding)?
  ) throws {
    try perform { db in
      try db.tryAdding(function(name, argumentCount, deterministic) { DatabaseValue(try body($0)) })
    }
  }

  private func function(
    _ name: String, _ argumentCount: Int?, _ deterministic: Bool,
    _ body: @escaping ([DatabaseValue]) throws -> DatabaseValue
  ) -> DatabaseFunction {
    nonisolated(unsafe) let body = body
    return DatabaseFunction(name, argumentCount: argumentCount, pure: deterministic) { try body($0) }
  }

  // MARK: Aggregates

  /// Adds an SQL aggregate function that reduces the rows to a value.
  ///
  /// ```swift
  /// db.createAggregation("customConcat", initialValue: "", reduce: { last, args in
  ///   last + " " + (args.first as? String ?? "")
  /// }, result: { $0 })
  /// ```
  ///
  /// - Parameters:
  ///   - functionName: The name of the function in SQL.
  ///   - argumentCount: The number of arguments; nil for any number.
  ///   - deterministic: Whether equal arguments always have the same result.
  ///   - initialValue: The state before the first row.
  ///   - reduce: Receives the state and the arguments of a row, and returns the next state.
  ///   - result: Receives the state after the last row, and returns the result of the function.
  public func createAggregation<T>(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false, initialValue: T,
    reduce: @escaping (T, [(any Binding)?]) throws -> T, result: @escaping (T) throws -> (any Binding)?
  ) {
    addAggregate(functionName, argumentCount, deterministic) {
      var state = initialValue
      return (
        step: { state = try reduce(state, $0.map(\.binding)) },
        finalize: { DatabaseValue(try result(state)) }
      )
    }
  }

  /// Adds an SQL aggregate function whose state is memory that the closures allocate and free.
  ///
  /// ```swift
  /// db.createAggregation("rowCount", step: { _, count in
  ///   count.pointee += 1
  /// }, final: { count in
  ///   defer { count.deallocate() }
  ///   return count.pointee
  /// }, state: {
  ///   let count = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
  ///   count.initialize(to: 0)
  ///   return count
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - functionName: The name of the function in SQL.
  ///   - argumentCount: The number of arguments; nil for any number.
  ///   - deterministic: Whether equal arguments always have the same result.
  ///   - step: Receives the arguments of a row, and the state, which it updates.
  ///   - final: Receives the state after the last row. Returns the result of the function, and frees the state.
  ///   - state: Allocates and initializes the state before the first row.
  public func createAggregation<T>(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false,
    step: @escaping ([(any Binding)?], UnsafeMutablePointer<T>) -> Void,
    final: @escaping (UnsafeMutablePointer<T>) -> (any Binding)?, state: @escaping () -> UnsafeMutablePointer<T>
  ) {
    addAggregate(functionName, argumentCount, deterministic) {
      let memory = state()
      return (step: { step($0.map(\.binding), memory) }, finalize: { DatabaseValue(final(memory)) })
    }
  }

  private func addAggregate(
    _ name: String, _ argumentCount: UInt?, _ deterministic: Bool,
    _ begin: @escaping () -> (step: ([DatabaseValue]) throws -> Void, finalize: () throws -> DatabaseValue)
  ) {
    nonisolated(unsafe) let begin = begin
    let function = DatabaseFunction(name, argumentCount: argumentCount.map { Int($0) }, pure: deterministic) { begin() }
    access { $0.add(function: function) }
  }

  // MARK: Collations

  /// Adds a collation, which compares and sorts strings with a closure.
  ///
  /// A column or an expression uses the collation as ``Collation/custom(_:)``.
  ///
  /// ```swift
  /// try db.createCollation("NODIACRITIC") { lhs, rhs in
  ///   lhs.compare(rhs, options: .diacriticInsensitive)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - collation: The name of the collation in SQL.
  ///   - block: Returns the order of two strings.
  /// - Throws: A ``Result`` if the collation cannot be added.
  public func createCollation(
    _ collation: String, _ block: @escaping (_ lhs: String, _ rhs: String) -> ComparisonResult
  ) throws {
    nonisolated(unsafe) let block = block
    try perform { try $0.tryAdding(DatabaseCollation(collation) { block($0, $1) }) }
  }
}

extension [DatabaseValue] {
  /// Returns an argument, decoded as the type of the function's parameter.
  fileprivate func argument<T: ExpressionDatatype>(_ index: Int) throws -> T {
    if let value = try T._from(stored: self[index]) { return value }
    throw DatabaseError(
      resultCode: .SQLITE_MISMATCH,
      message: "argument \(index + 1): expected \(T.self), got \(SQLText.literal(self[index].binding))")
  }
}
