public import Foundation
import Tidemark

// SQLite calls these closures inside statements of the connection, one at a time.

extension Connection {
  /// Has SQL call a closure.
  ///
  /// ```swift
  /// db.createFunction("reversed", argumentCount: 1, deterministic: true) { args in
  ///   (args[0] as? String).map { String($0.reversed()) }
  /// }
  /// ```
  ///
  /// - parameter functionName: The name that SQL knows it by. A function of that name and number of arguments is
  ///   replaced.
  /// - parameter argumentCount: The number of its arguments; nil for any number.
  /// - parameter deterministic: Whether its result depends on nothing but its arguments.
  /// - parameter block: Given the arguments: of type `Int64`, `Double`, `String`, `Blob`, nil for NULL. An error that
  ///   it throws is that of the statement.
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

  /// Has SQL call a closure of no arguments, and answers a function that makes expressions of it.
  public func createFunction<R: ExpressionDatatype>(
    _ function: String, deterministic: Bool = false, _ block: @escaping () throws -> R
  ) throws -> () -> SQLExpression<R> {
    try add(function, 0, deterministic) { _ in try block()._binding }
    return { .function(function.quote()) }
  }

  /// Has SQL call a closure of one argument, and answers a function that makes expressions of it.
  public func createFunction<A: ExpressionDatatype, R: ExpressionDatatype>(
    _ function: String, deterministic: Bool = false, _ block: @escaping (A) throws -> R
  ) throws -> (SQLExpression<A>) -> SQLExpression<R> {
    try add(function, 1, deterministic) { values in try block(values.argument(0))._binding }
    return { .function(function.quote(), $0.expression) }
  }

  /// Has SQL call a closure of two arguments, and answers a function that makes expressions of it.
  ///
  /// ```swift
  /// let typeConformsTo: (SQLExpression<String>, SQLExpression<String>) -> SQLExpression<Bool> = (
  ///   try db.createFunction("typeConformsTo", deterministic: true) { UTI, conformsToUTI in
  ///     conforms(UTI, conformsToUTI)
  ///   }
  /// )
  /// let images = attachments.filter(typeConformsTo(UTI, SQLExpression(value: "public.image")))
  /// ```
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

  /// Has SQL put the values of rows together with closures.
  ///
  /// ```swift
  /// db.createAggregation("customConcat", initialValue: "", reduce: { last, args in
  ///   last + " " + (args.first as? String ?? "")
  /// }, result: { $0 })
  /// ```
  ///
  /// - parameter functionName: The name that SQL knows it by.
  /// - parameter argumentCount: The number of its arguments; nil for any number.
  /// - parameter deterministic: Whether its result depends on nothing but its arguments.
  /// - parameter initialValue: What there is before the first row.
  /// - parameter reduce: Makes of it, and of the arguments of a row, what there is after that row.
  /// - parameter result: Makes of it, after the last row, what SQL is given.
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

  /// Has SQL put the values of rows together with closures, in memory that these look after themselves.
  ///
  /// - parameter functionName: The name that SQL knows it by.
  /// - parameter argumentCount: The number of its arguments; nil for any number.
  /// - parameter deterministic: Whether its result depends on nothing but its arguments.
  /// - parameter step: Given the arguments of a row, and the memory.
  /// - parameter final: Given the memory after the last row. It makes of it what SQL is given, and frees it.
  /// - parameter state: Makes the memory, before the first row.
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

  /// Has SQL compare and sort texts with a closure: see `Collation.custom(_:)`.
  ///
  /// ```swift
  /// try db.createCollation("NODIACRITIC") { lhs, rhs in
  ///   lhs.compare(rhs, options: .diacriticInsensitive)
  /// }
  /// ```
  public func createCollation(
    _ collation: String, _ block: @escaping (_ lhs: String, _ rhs: String) -> ComparisonResult
  ) throws {
    nonisolated(unsafe) let block = block
    try perform { try $0.tryAdding(DatabaseCollation(collation) { block($0, $1) }) }
  }
}

extension [DatabaseValue] {
  /// An argument, as the type that a function has there.
  fileprivate func argument<T: ExpressionDatatype>(_ index: Int) throws -> T {
    if let value = try T._from(stored: self[index]) { return value }
    throw DatabaseError(
      resultCode: .SQLITE_MISMATCH,
      message: "argument \(index + 1) is \(SQLText.literal(self[index].binding)), no \(T.self)")
  }
}
