// Requests with associations are printed once. The SQL of other requests is kept by connections: see `QueryTexts`.
//
// The text of a request depends on the schema, which determines foreign keys and the columns of joined tables. It also
// depends on the closures that the program has passed to `filterWhenConnected(_:)` and similar methods. These run each
// time, because they may read from the database. So only requests without such closures are kept.

/// The SQL of a request, and how its rows are read.
struct PrintedQuery {
  let sql: String
  let arguments: StatementArguments
  let adapter: AdapterBox?
}

/// The printed SQL of a request with associations, for each schema for which it was printed.
///
/// A request is a value: its copies share this object, and a changed request gets another one (benchmark
/// `associations: a joined row`).
final class PrintedQueries: Sendable {
  private struct Entry {
    /// The generation of the catalog: each connection has other numbers, and they change with the schema.
    let generation: UInt
    let isForSingleResult: Bool
    let query: PrintedQuery
  }

  private struct State {
    var entries: [Entry] = []
    var printCount = 0
  }

  private let state = Mutex(State())

  /// Returns nil if the relation has no associations.
  init?(of relation: SQLRelation) {
    if relation.children.isEmpty { return nil }
  }

  /// How often the request was printed.
  var printCount: Int { state.withLock { $0.printCount } }

  /// Returns the printed SQL for the current schema.
  ///
  /// - Parameters:
  ///   - singleResult: Whether the SQL is for a single row.
  ///   - print: Prints the request.
  func query(
    _ db: Database, forSingleResult singleResult: Bool, print: () throws -> PrintedQuery
  ) throws -> PrintedQuery {
    let generation = try db.catalogGeneration()
    let known = state.withLock { state in
      state.entries.first { $0.generation == generation && $0.isForSingleResult == singleResult }?.query
    }
    if let known { return known }
    let outer = db.recording.printing
    db.recording.printing = PrintingState()
    defer { db.recording.printing = outer }
    let query = try print()
    state.withLock { state in
      state.printCount += 1
      if db.recording.printing.dependsOnProgram { return }
      if state.entries.count == Self.entryCountMax { state.entries.removeFirst() }
      state.entries.append(Entry(generation: generation, isForSingleResult: singleResult, query: query))
    }
    return query
  }

  /// Enough for two kinds of fetches on all connections of most pools.
  private static let entryCountMax = 12
}

extension Database {
  /// Returns a part of a query that a closure of the program returns, or one of the library: see `fixedPart(_:)`.
  func partOfProgram<Part>(_ make: (Database) throws -> Part) rethrows -> Part {
    // The closure may print other requests.
    let outer = recording.printing.isFixedPart
    recording.printing.isFixedPart = false
    defer { recording.printing.isFixedPart = outer }
    let part = try make(self)
    if !recording.printing.isFixedPart { recording.printing.dependsOnProgram = true }
    return part
  }

  /// Declares that a part of a query depends on nothing but the schema, and returns it.
  ///
  /// Methods such as `filter(_:)` call `filterWhenConnected(_:)`, as programs do. Their closures call this method.
  func fixedPart<Part>(_ part: Part) -> Part {
    recording.printing.isFixedPart = true
    return part
  }
}
