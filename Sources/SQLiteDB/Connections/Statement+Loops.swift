import Tidemark

/// The rows of a statement that are iterated.
///
/// Invariants:
/// 1. All rows are those of the moment when the iteration began. SQLite guarantees this against other connections. When
///    this connection is about to change the rows, those that are left are read first.
/// 2. An iteration that has not been claimed by a loop yet, and whose rows are about to change, is discarded: the loop
///    runs the statement again.
final class StatementLoop {
  /// What a step has found.
  enum Step {
    case row([DatabaseValue])
    case end
  }

  /// The run of the compiled statement; nil when all rows have been read.
  private(set) var run: UInt?

  /// The row that was returned last.
  private(set) var current: [DatabaseValue]?

  /// Whether no loop has asked for the rows yet.
  var isUnclaimed = false

  /// Whether SQLite is looking for a row.
  private var isStepping = false

  /// The number of columns, after the first step.
  private var columnCount: Int?

  /// Rows that were read and not returned yet, and the position of the first one.
  private var rows: [[DatabaseValue]] = []
  private var position = 0

  /// Why there are no rows after these.
  private var failure: (any Error)?

  init(run: UInt) {
    self.run = run
  }

  /// The number of rows that were read and not returned yet.
  var countAhead: Int { rows.count - position }

  /// Whether the compiled statement is at the row that was returned last.
  func showsCurrentRow(of statement: Tidemark.Statement) -> Bool { countAhead == 0 && statement.runNumber == run }

  /// Reads a row without returning it.
  ///
  /// - returns: Whether there was one.
  func readAhead(_ statement: Tidemark.Statement) throws -> Bool {
    guard case .row(let values) = try step(statement) else { return false }
    rows.append(values)
    return true
  }

  /// Reads all rows that are left. An error is thrown when they have been returned.
  func readRest(_ statement: Tidemark.Statement) {
    if isStepping { return }
    do {
      while try readAhead(statement) {}
    } catch {
      failure = error
    }
  }

  /// Returns the next row.
  func next(_ statement: Tidemark.Statement) throws -> [DatabaseValue]? {
    if countAhead > 0 {
      current = rows[position]
      rows[position] = []
      position += 1
    } else if let failure {
      throw failure
    } else if case .row(let values) = try step(statement) {
      current = values
    } else {
      current = nil
    }
    return current
  }

  private func step(_ statement: Tidemark.Statement) throws -> Step {
    guard let run, statement.runNumber == run else { return .end }
    isStepping = true
    defer { isStepping = false }
    do {
      if try statement.advance() { return .row(try statement.values(count: columnCount(statement))) }
    } catch {
      self.run = nil
      statement.endRun(run)
      throw error
    }
    self.run = nil
    statement.endRun(run)
    return .end
  }

  private func columnCount(_ statement: Tidemark.Statement) -> Int {
    if let columnCount { return columnCount }
    let count = statement.currentColumnCount
    columnCount = count
    return count
  }
}

extension Statement {
  /// How many rows are read when a query is prepared.
  private static let countReadAhead = 100

  /// The next row of the iteration, which begins if there is none. To be called inside an access.
  func nextRow() throws -> [DatabaseValue]? {
    if loop == nil {
      if let step = try steppedRow() {
        if case .row(let values) = step { return values }
        return nil
      }
      _ = try beginLoop()
    }
    guard let statement = kept else { return nil }
    do {
      if let values = try loop?.next(statement) { return values }
    } catch {
      endLoop()
      throw error
    }
    endLoop()
    return nil
  }

  private func beginLoop() throws -> StatementLoop {
    let loop = StatementLoop(run: try begin().runNumber)
    self.loop = loop
    connection.access { $0.openLoopsMade.add(self) }
    return loop
  }

  /// Ends the iteration. To be called inside an access.
  func endLoop() {
    guard let loop else { return }
    self.loop = nil
    connection.access { $0.openLoops?.remove(self) }
    if let run = loop.run { kept?.endRun(run) }
  }

  // MARK: Reading ahead

  /// Begins an iteration, and reads its first rows: errors are thrown here, and not in a loop, which cannot throw.
  ///
  /// The next iterator continues it, unless the rows have changed meanwhile.
  func readAhead(_ clauses: QueryClauses) throws {
    try connection.translating(self) {
      try connection.access { db in
        let loop = try beginLoop()
        do {
          let statement = try prepared
          while try loop.countAhead < Self.countReadAhead && loop.readAhead(statement) {}
          if loop.countAhead > 0 { layout = try ResultRowLayout.layout(of: clauses, statement, db) }
          loop.isUnclaimed = true
        } catch {
          endLoop()
          throw error
        }
      }
    }
  }

  /// A statement that iterates the rows that were read ahead, or all rows from the first one when there are none.
  func claimRows() -> Statement {
    connection.access { db in
      guard let loop, loop.isUnclaimed else { return Statement(iterating: self) }
      let iterator = Statement(iterating: self)
      loop.isUnclaimed = false
      (iterator.loop, iterator.layout) = (loop, layout)
      self.loop = nil
      db.openLoops?.remove(self)
      db.openLoopsMade.add(iterator)
      return iterator
    }
  }

  /// Another statement is about to begin.
  fileprivate func prepareLoop(for other: Tidemark.Statement) {
    guard let kept, kept !== other, let loop else { return }
    if loop.isUnclaimed {
      // It must not hold a transaction open that others use.
      if loop.run != nil || other.mayChangeRows(of: kept) { endLoop() }
    } else if loop.run != nil, other.mayChangeRows(of: kept) {
      kept.readingOn { loop.readRest(kept) }
    }
  }

  // MARK: Rows

  /// The next row, as one of a typed query.
  func nextRow(of clauses: QueryClauses?) throws -> Row? {
    try connection.translating(self) {
      try connection.access { db in
        guard let values = try nextRow() else { return nil }
        let layout = try layout ?? makeLayout(clauses, db)
        self.layout = layout
        return Row(layout: layout, values: values)
      }
    }
  }

  private func makeLayout(_ clauses: QueryClauses?, _ db: Database) throws -> ResultRowLayout {
    guard let clauses else { return ResultRowLayout(of: try prepared) }
    return try ResultRowLayout.layout(of: clauses, prepared, db)
  }
}

extension Statement: Sequence, FailableIterator {
  /// The values of a row: of type `Int64`, `Double`, `String`, `Blob`, nil for NULL.
  public typealias Element = [(any Binding)?]

  /// A loop over the rows, from the first one, with the values that the statement has now.
  public func makeIterator() -> Statement {
    connection.access { _ in
      endRun()
      return Statement(iterating: self)
    }
  }

  /// The next row, or nil at the end.
  public func failableNext() throws -> [(any Binding)?]? { try whole { try nextRow()?.map(\.binding) } }
}

/// The iterations of a connection that have not ended. To be used inside accesses only.
final class OpenLoops: OpenReads {
  private struct Entry { weak var statement: Statement? }

  private var entries: [Entry] = []
  private unowned let db: Database

  init(_ db: Database) {
    self.db = db
  }

  func add(_ statement: Statement) { entries.append(Entry(statement: statement)) }

  func remove(_ statement: Statement) { removeAll { $0 === statement || $0 == nil } }

  /// Removes the statements that are being deinitialized.
  func removeReleased() { removeAll { $0 == nil } }

  private func removeAll(_ isRemoved: (Statement?) -> Bool) {
    entries.removeAll { isRemoved($0.statement) }
    if entries.isEmpty { db.openReads = nil }
  }

  func statementWillBegin(_ statement: Tidemark.Statement) {
    for entry in entries { entry.statement?.prepareLoop(for: statement) }
    removeReleased()
  }
}

extension Database {
  /// The iterations that have not ended; nil when there are none.
  var openLoops: OpenLoops? { openReads as? OpenLoops }

  fileprivate var openLoopsMade: OpenLoops {
    if let openLoops { return openLoops }
    let loops = OpenLoops(self)
    openReads = loops
    return loops
  }

  /// A value that is no longer in a row, as SQLite converts it to another type.
  func converted<B: Binding>(_ value: DatabaseValue, as type: B.Type) -> DatabaseValue {
    do {
      let statement = try sharedStatement(sql: "SELECT ?")
      return try statement.readingOn {
        try statement.begin([value])
        defer { statement.endRun() }
        guard try statement.advance() else { return .null }
        return B._converted(statement.sqliteStatement, 0)?._databaseValue ?? .null
      }
    } catch {
      fatalError("The value cannot be converted: \(error)")
    }
  }
}
