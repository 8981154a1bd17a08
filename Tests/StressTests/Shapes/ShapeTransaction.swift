import StressSupport

/// A random transaction: its statements, with those that begin and end it.
struct ShapeTransaction: Sendable {
  var statements: [ShapeStatement]
  var shapes: Set<Shape>

  var executor = Executor.observed

  /// The connection that executes a transaction.
  enum Executor {
    /// The database whose queries are observed.
    case observed

    /// The same database, with a task for each statement. The tasks may share transactions.
    case concurrent

    /// Another database.
    case other

    /// A connection that does not use the library.
    case withoutLibrary

    var comment: String {
      switch self {
      case .observed: ""
      case .concurrent: ", each statement in a task"
      case .other: ", by another connection"
      case .withoutLibrary: ", by another connection without the library"
      }
    }
  }

  /// Whether another connection executes it.
  var isExternal: Bool { executor == .other || executor == .withoutLibrary }

  /// Whether no state between its statements can be fetched.
  var isAtomic: Bool { statements.count == 1 || shapes.contains(.explicitTransaction) && executor != .concurrent }

  /// Whether SQLite executes the same plans afterwards.
  var mayKeepPlans: Bool { shapes.isDisjoint(with: [.schemaChange, .vacuum, .analyze, .restore, .attachedAgain]) }
}
