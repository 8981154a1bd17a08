import Tidemark

/// An iteration over the rows of a statement.
///
/// Invariants:
/// 1. All rows belong to the state of the database in which the iteration began. SQLite guarantees this with respect to
///    other connections. Before this connection changes the rows, the remaining ones are read.
/// 2. If the rows are about to change before a loop has claimed the iteration, it is discarded: the loop runs the
///    statement again.
final class StatementLoop {
  /// The result of a step.
  enum Step {
    case row([DatabaseValue])
    case end
  }

  /// The run of the compiled statement; nil after all rows have been read.
  private(set) var run: UInt?

  /// The last row that was returned.
  private(set) var current: [DatabaseValue]?

  /// Whether no loop has requested the rows yet.
  var isUnclaimed = false

  /// Whether SQLite is stepping the statement.
  private var isStepping = false

  /// The number of columns; nil before the first step.
  private var columnCount: Int?

  /// Rows that were read but not returned yet, and the index of the first one.
  private var rows: [[DatabaseValue]] = []
  private var position = 0

  /// The error that ended the run after these rows.
  private var failure: (any Error)?

  init(run: UInt) {
    self.run = run
  }

  /// The number of rows that were read but not returned yet.
  var countAhead: Int { rows.count - position }

  /// Whether the compiled statement is positioned on the last row that was returned.
  func showsCurrentRow(of statement: Tidemark.Statement) -> Bool { countAhead == 0 && statement.runNumber == run }

  /// Reads a row without returning it.
  ///
  /// - Returns: Whether there was a row.
  func readAhead(_ statement: Tidemark.Statement) throws -> Bool {
    guard case .row(let values) = try step(statement) else { return false }
    rows.append(values)
    return true
  }

  /// Reads all remaining rows. An error is thrown after they have been returned.
  func readRest(_ statement: Tidemark.Statement) {
    if isStepping { return }
    do {
      while try readAhead(statement) {}
    } catch {
      failure = error
    }
  }

  /// Returns the next row; nil at the end.
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
  /// The number of rows that are read when a query is prepared.
  private static let countReadAhead = 100

  /// Returns the next row of the iteration, which begins if there is none. Must be called inside an access.
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

  /// Ends the iteration. Must be called inside an access.
  func endLoop() {
    guard let loop else { return }
    self.loop = nil
    connection.access { $0.openLoops?.remove(self) }
    if let run = loop.run { kept?.endRun(run) }
  }

  // MARK: Reading ahead

  /// Begins an iteration, and reads its first rows: a loop cannot throw, so their errors are thrown here.
  ///
  /// The next iterator continues the iteration, unless the rows have changed since.
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

  /// Returns a statement that continues the iteration that was begun ahead, or that iterates all rows if there is none.
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

  /// Called before another statement begins.
  fileprivate func prepareLoop(for other: Tidemark.Statement) {
    guard let kept, kept !== other, let loop else { return }
    if loop.isUnclaimed {
      // The iteration must not keep open a transaction that other operations use.
      if loop.run != nil || other.mayChangeRows(of: kept) { endLoop() }
    } else if loop.run != nil, other.mayChangeRows(of: kept) {
      kept.readingOn { loop.readRest(kept) }
    }
  }

  // MARK: Rows

  /// Returns the next row, with the columns of a typed query.
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
  /// The values of a row, each of them an `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  public typealias Element = [(any Binding)?]

  /// Returns an iterator over the rows, from the first one, with the current arguments.
  ///
  /// ```swift
  /// for row in try db.prepare("SELECT id, email FROM users") {
  ///   print(row[0] as? Int64 ?? 0, row[1] as? String ?? "")
  /// }
  /// ```
  ///
  /// - Returns: A statement with its own rows.
  public func makeIterator() -> Statement {
    connection.access { _ in
      endRun()
      return Statement(iterating: self)
    }
  }

  /// Returns the values of the next row; nil at the end.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT id, email FROM users")
  /// while let row = try statement.failableNext() { print(row) }
  /// ```
  ///
  /// - Returns: The values; nil at the end.
  /// - Throws: A ``Result`` if the statement fails.
  public func failableNext() throws -> [(any Binding)?]? { try whole { try nextRow()?.map(\.binding) } }
}

/// The unfinished iterations of a connection. They are used inside accesses only.
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
    if entries.isEmpty { db.dialect.openReads = nil }
  }

  func statementWillBegin(_ statement: Tidemark.Statement) {
    for entry in entries { entry.statement?.prepareLoop(for: statement) }
    removeReleased()
  }
}

extension Database {
  /// The unfinished iterations; nil if there are none.
  var openLoops: OpenLoops? { dialect.openReads as? OpenLoops }

  fileprivate var openLoopsMade: OpenLoops {
    if let openLoops { return openLoops }
    let loops = OpenLoops(self)
    dialect.openReads = loops
    return loops
  }

  /// Converts a value that is no longer in a row to another type, as SQLite does.
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
      fatalError("Could not convert a value: \(error)")
    }
  }
}
