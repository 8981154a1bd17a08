/// A Swift function that SQL can call.
///
/// ```swift
/// let reversed = DatabaseFunction("reversed", argumentCount: 1, pure: true) { values in
///   String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
/// }
/// try dbQueue.write { db in
///   db.add(function: reversed)
///   try String.fetchOne(db, sql: "SELECT reversed('abc')")    // "cba"
/// }
/// ```
///
/// If the function throws an error, the statement fails with this error. The function must not use the connection.
public final class DatabaseFunction: Identifiable, Sendable {
  /// The identity of a function: its name and its number of arguments.
  public struct ID: Hashable, Sendable {
    let name: String
    let argumentCount: CInt
  }

  /// The identity of the function.
  public let id: ID

  /// The name of the function.
  public var name: String { id.name }

  /// Whether the function combines several rows into one value.
  let isAggregate: Bool
  let isPure: Bool
  let isInnocuous: Bool
  private let makeImplementation: @Sendable () -> SQLFunctionBox.Implementation

  /// Creates a scalar function.
  ///
  /// ```swift
  /// let half = DatabaseFunction("half", argumentCount: 1, pure: true, innocuous: true) { values in
  ///   Double.fromDatabaseValue(values[0]).map { $0 / 2 }
  /// }
  /// ```
  ///
  /// - Parameter argumentCount: The number of arguments, or nil for any number.
  /// - Parameter pure: Whether the result depends on the arguments only. SQLite may then call the function once for
  ///   several rows, and use it in indexes.
  /// - Parameter innocuous: Whether the schema of an untrusted database may call the function: it has no side effects,
  ///   and its result reveals nothing but its arguments. See `Configuration.forUntrustedFiles`.
  public init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, innocuous: Bool,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
    isAggregate = false
    isPure = pure
    isInnocuous = innocuous
    makeImplementation = { .scalar { try function($0)?.databaseValue ?? .null } }
  }

  /// Creates a scalar function that the schema of an untrusted database cannot call.
  ///
  /// ```swift
  /// let half = DatabaseFunction("half", argumentCount: 1, pure: true) { values in
  ///   Double.fromDatabaseValue(values[0]).map { $0 / 2 }
  /// }
  /// ```
  ///
  /// - Parameter name: The name of the function.
  /// - Parameter argumentCount: The number of arguments, or nil for any number.
  /// - Parameter pure: Whether the result depends on the arguments only. SQLite may then call the function once for
  ///   several rows, and use it in indexes.
  /// - Parameter function: Returns the result for arguments. Nil stands for NULL. If it throws, the statement fails.
  public convenience init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    self.init(name, argumentCount: argumentCount, pure: pure, innocuous: false, function: function)
  }

  /// Creates an aggregate function.
  ///
  /// ```swift
  /// let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
  /// ```
  ///
  /// - Parameter argumentCount: The number of arguments, or nil for any number.
  /// - Parameter pure: Whether the result depends on the arguments only.
  /// - Parameter innocuous: Whether the schema of an untrusted database may call the function.
  public init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, innocuous: Bool,
    aggregate: Aggregate.Type
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
    isAggregate = true
    isPure = pure
    isInnocuous = innocuous
    makeImplementation = { .aggregate { AggregateState(Aggregate()) } }
  }

  /// Creates an aggregate function that the schema of an untrusted database cannot call.
  ///
  /// ```swift
  /// let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
  /// ```
  ///
  /// - Parameter name: The name of the function.
  /// - Parameter argumentCount: The number of arguments, or nil for any number.
  /// - Parameter pure: Whether the result depends on the arguments only.
  /// - Parameter aggregate: The type of the state of a run.
  public convenience init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
  ) {
    self.init(name, argumentCount: argumentCount, pure: pure, innocuous: false, aggregate: aggregate)
  }

  /// Creates an aggregate function from closures that share the state of a run.
  ///
  /// - Parameter begin: Called before the first row of a run, or at its end if it has no rows.
  package init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    begin:
      @escaping @Sendable () -> (
        step: ([DatabaseValue]) throws -> Void, finalize: () throws -> DatabaseValue
      )
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
    isAggregate = true
    isPure = pure
    isInnocuous = false
    makeImplementation = { .aggregate { ClosureAggregateState(begin()) } }
  }

  func box() -> SQLFunctionBox { SQLFunctionBox(makeImplementation()) }

  func traits(isUntrusted: Bool) -> SQLFunctionTraits {
    var traits: SQLFunctionTraits = isPure ? .deterministic : []
    if isInnocuous {
      traits.insert(.innocuous)
    } else if isUntrusted {
      // Hazard A4: views and triggers of an untrusted file must not call functions of the program.
      traits.insert(.directOnly)
    }
    return traits
  }
}

extension DatabaseFunction: Hashable {
  /// Returns whether two functions have the same name and the same number of arguments.
  public static func == (lhs: DatabaseFunction, rhs: DatabaseFunction) -> Bool { lhs.id == rhs.id }

  /// Hashes the name and the number of arguments.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An aggregate function, which computes a value from several rows.
///
/// ```swift
/// struct Longest: DatabaseAggregate {
///   var longest: String?
///
///   mutating func step(_ dbValues: [DatabaseValue]) {
///     guard let text = String.fromDatabaseValue(dbValues[0]) else { return }
///     if text.count > longest?.count ?? 0 { longest = text }
///   }
///
///   func finalize() -> (any DatabaseValueConvertible)? { longest }
/// }
///
/// let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
/// ```
public protocol DatabaseAggregate {
  /// Creates the state before the first row.
  init()

  /// Adds the arguments of a row.
  ///
  /// - Parameter dbValues: The arguments.
  /// - Throws: An error, with which the statement fails.
  mutating func step(_ dbValues: [DatabaseValue]) throws

  /// Returns the result after the last row. It is also called for an empty set of rows.
  func finalize() throws -> (any DatabaseValueConvertible)?
}

private final class ClosureAggregateState: SQLAggregateState {
  private let closures: (step: ([DatabaseValue]) throws -> Void, finalize: () throws -> DatabaseValue)

  init(_ closures: (step: ([DatabaseValue]) throws -> Void, finalize: () throws -> DatabaseValue)) {
    self.closures = closures
  }

  func step(_ arguments: [DatabaseValue]) throws { try closures.step(arguments) }

  func finalize() throws -> DatabaseValue { try closures.finalize() }
}

private final class AggregateState<Aggregate: DatabaseAggregate>: SQLAggregateState {
  private var aggregate: Aggregate

  init(_ aggregate: Aggregate) {
    self.aggregate = aggregate
  }

  func step(_ arguments: [DatabaseValue]) throws { try aggregate.step(arguments) }

  func finalize() throws -> DatabaseValue { try aggregate.finalize()?.databaseValue ?? .null }
}
