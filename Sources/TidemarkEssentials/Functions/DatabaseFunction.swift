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
/// An error that the function throws becomes the error of the statement. The function must not use the
/// connection.
public final class DatabaseFunction: Identifiable, Sendable {
  /// What makes a function another one: its name and the number of its arguments.
  public struct ID: Hashable, Sendable {
    let name: String
    let argumentCount: CInt
  }

  /// What makes this function another one than others.
  public let id: ID

  /// The name of the function.
  public var name: String { id.name }

  let isPure: Bool
  let isInnocuous: Bool
  private let makeImplementation: @Sendable () -> SQLFunctionBox.Implementation

  /// A function of some values.
  ///
  /// - parameter argumentCount: The number of arguments, or nil for any number.
  /// - parameter pure: Whether the result depends on the arguments alone, so that SQLite may call it once
  ///   for several rows, and use it in indexes.
  /// - parameter innocuous: Whether the schema of a database from outside may call the function: it has no
  ///   effect, and tells nothing but what its arguments say. See `Configuration.untrusted`.
  public init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, innocuous: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
    isPure = pure
    isInnocuous = innocuous
    makeImplementation = { .scalar { try function($0)?.databaseValue ?? .null } }
  }

  /// A function of some rows.
  ///
  /// - parameter argumentCount: The number of arguments, or nil for any number.
  /// - parameter pure: Whether the result depends on the arguments alone.
  /// - parameter innocuous: Whether the schema of a database from outside may call the function.
  public init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, innocuous: Bool = false,
    aggregate: Aggregate.Type
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
    isPure = pure
    isInnocuous = innocuous
    makeImplementation = { .aggregate { AggregateState(Aggregate()) } }
  }

  /// A function of some rows, made of closures that share what they know of a run.
  ///
  /// - parameter begin: Called before the first row of a run, or at its end when there is none.
  package init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    begin:
      @escaping @Sendable () -> (
        step: ([DatabaseValue]) throws -> Void, finalize: () throws -> DatabaseValue
      )
  ) {
    id = ID(name: name, argumentCount: argumentCount.map { CInt($0) } ?? -1)
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
      // Hazard A4: a view or a trigger of a file from outside must not call the application.
      traits.insert(.directOnly)
    }
    return traits
  }
}

extension DatabaseFunction: Hashable {
  /// Whether both functions have the same name and the same number of arguments.
  public static func == (lhs: DatabaseFunction, rhs: DatabaseFunction) -> Bool { lhs.id == rhs.id }

  /// Hashes the name and the number of arguments.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A function of several rows.
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
  /// The state before the first row.
  init()

  /// Takes the arguments of one row in.
  mutating func step(_ dbValues: [DatabaseValue]) throws

  /// The result, after the last row. There may have been none.
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
