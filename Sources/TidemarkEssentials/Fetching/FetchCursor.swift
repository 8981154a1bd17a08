/// A cursor over the decoded rows of a statement: rows, values, or records.
///
/// ```swift
/// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
/// while let title = try titles.next() {
///   print(title)
/// }
/// ```
///
/// A cursor is used once, inside the access that created it. It releases its statement at its end, or when it is
/// released.
///
/// Invariants:
/// 1. If an element cannot be decoded, `next()` throws, and the next call continues with the next row.
/// 2. If a step fails, `next()` throws, and so does each later call.
/// 3. If the statement was started again elsewhere, the cursor does not step it any more.
/// 4. Column names and adapters follow the schema: they match the columns of the rows, even if the statement was
///    compiled for another schema.
/// 5. Stepping a cursor outside of its access traps.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
  /// The decoded type.
  public typealias Element = Decoding.Element

  @usableFromInline @exclusivity(unchecked) var state: State

  @usableFromInline
  struct State {
    @usableFromInline var run: StatementRun
    @usableFromInline var phase = Phase.beforeFirstRow
  }

  @inlinable var run: StatementRun { state.run }

  // Constants of the run are stored here, too: each row reads them, and need not retain another object for that.
  @usableFromInline let statement: Statement
  @usableFromInline let runNumber: UInt

  private let adapter: AdapterBox?
  private let usedArguments: StatementArguments

  @usableFromInline
  enum Phase {
    case beforeFirstRow
    case onRow
    /// The row may have an error that a subscript could not throw.
    case onCheckedRow
    case ended
    case failed(any Error)
  }

  init(_ statement: Statement, arguments: StatementArguments?, adapter: AdapterBox?) throws {
    let run = try StatementRun(statement, arguments: arguments, adapter: adapter)
    state = State(run: run)
    self.statement = run.statement
    runNumber = run.number
    self.adapter = adapter
    usedArguments = self.statement.argumentState.current
  }

  deinit { state.run.finish() }

  /// Returns the next element; nil at the end.
  @inlinable
  public func next() throws -> Element? {
    try checkMayStep()
    return try step() ? Decoding._decode(state.run.row) : nil
  }

  /// Returns whether there is another row.
  @inlinable
  func step() throws -> Bool {
    if case .onRow = state.phase, isOwnRun {
      if try stepStatement() { return true }
      end()
      return false
    }
    return try stepSlowly()
  }

  /// Whether the statement was not started again elsewhere.
  @inlinable
  var isOwnRun: Bool { statement.run == runNumber }

  private func stepFirst() throws -> Bool {
    do {
      return try state.run.stepToFirstRow(adapter)
    } catch {
      state.phase = .failed(error)
      state.run.finish()
      throw error
    }
  }

  @inlinable
  func stepStatement() throws -> Bool {
    do {
      return try statement.step()
    } catch {
      state.phase = .failed(error)
      throw error
    }
  }

  @usableFromInline
  func stepSlowly() throws -> Bool {
    switch state.phase {
    case .ended: return false
    case .failed(let error): throw error
    case .onCheckedRow:
      guard isOwnRun else { throw reusedError }
      statement.database.preconditionAccess()
      try state.run.row.checking?.throwDeferredError()
      if try stepStatement() { return true }
      end()
      return false
    case .beforeFirstRow, .onRow:
      guard isOwnRun else { throw reusedError }
      statement.database.preconditionAccess()
      guard try stepFirst() else {
        end()
        return false
      }
      state.phase = state.run.row.checking == nil ? .onRow : .onCheckedRow
      return true
    }
  }

  // An interrupted statement stops by itself, but late: SQLite calls the progress handler at intervals.
  @usableFromInline
  func checkMayStep() throws {
    statement.database.preconditionAccess()
    guard statement.database.access.checksForInterruption, case .onRow = state.phase else { return }
    do {
      try statement.database.checkInterruption()
    } catch {
      state.phase = .failed(error)
      state.run.finish()
      throw error
    }
  }

  @usableFromInline
  func end() {
    state.phase = .ended
    state.run.finish()
  }

  private var reusedError: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "cursor is invalid: its statement was executed again, or its arguments were changed",
      sql: statement.sql)
  }

  // MARK: The request

  /// The SQL of the statement.
  public var sql: String { statement.sql }

  /// The arguments of the statement.
  public var arguments: StatementArguments { usedArguments }

  /// The names of the columns of the statement.
  public var columnNames: [String] { statement.columnNames }

  /// The number of columns of the statement.
  public var columnCount: Int { statement.columnCount }

  /// The region of the statement, with the arguments of the cursor.
  public var databaseRegion: DatabaseRegion { statement.region(with: usedArguments, isChecked: false) }
}

@available(*, unavailable)
extension FetchCursor: Sendable {}

/// A cursor of rows or records.
public typealias WholeRowCursor<Element: RowDecodable> = FetchCursor<WholeRowDecoding<Element>>

/// A cursor of rows, under its name in GRDB.
public typealias RowCursor = WholeRowCursor<Row>
