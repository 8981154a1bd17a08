/// A cursor over what the rows of a statement become: rows, values, or records.
///
/// ```swift
/// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
/// while let title = try titles.next() {
///   print(title)
/// }
/// ```
///
/// A cursor is used inside the access that made it, and once. It gives its statement back when it is
/// at its end, or released.
///
/// Invariants:
/// 1. An element that cannot be decoded throws, and the next step shows the next row.
/// 2. A step that fails throws, and so does each step after it.
/// 3. A statement that was started again by somebody else is not stepped by this cursor any more.
/// 4. Names and adapters follow the schema: they are those of the columns that the rows have, not of those that
///    the statement had when it was compiled.
/// 5. A cursor that left its access is not stepped: that traps.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
  /// What a row becomes.
  public typealias Element = Decoding.Element

  @usableFromInline @exclusivity(unchecked) var run: StatementRun

  // What does not change in the run stands here, too: it is asked for at each row, and need not be retained for that.
  @usableFromInline let statement: Statement
  @usableFromInline let runNumber: UInt

  @usableFromInline @exclusivity(unchecked) var phase = Phase.beforeFirstRow

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
    run = try StatementRun(statement, arguments: arguments, adapter: adapter)
    self.statement = run.statement
    runNumber = run.number
    self.adapter = adapter
    usedArguments = self.statement.currentArguments
  }

  deinit { run.finish() }

  /// The next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    try checkMayStep()
    return try step() ? Decoding._decode(run.row) : nil
  }

  /// The next element, in a form that outlives the next step.
  @inlinable
  func nextCopy() throws -> Element? {
    try step() ? Decoding._decodeCopy(run.row) : nil
  }

  /// Whether there is one more row.
  @inlinable
  func step() throws -> Bool {
    if case .onRow = phase, isOwnRun {
      if try stepStatement() { return true }
      end()
      return false
    }
    return try stepSlowly()
  }

  /// Whether nobody has started the statement again.
  @inlinable
  var isOwnRun: Bool { statement.run == runNumber }

  private func stepFirst() throws -> Bool {
    do {
      return try run.stepToFirstRow(adapter)
    } catch {
      phase = .failed(error)
      run.finish()
      throw error
    }
  }

  @inlinable
  func stepStatement() throws -> Bool {
    do {
      return try statement.step()
    } catch {
      phase = .failed(error)
      throw error
    }
  }

  @usableFromInline
  func stepSlowly() throws -> Bool {
    switch phase {
    case .ended: return false
    case .failed(let error): throw error
    case .onCheckedRow:
      guard isOwnRun else { throw reusedError }
      statement.database.preconditionAccess()
      try run.row.checking?.throwDeferredError()
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
      phase = run.row.checking == nil ? .onRow : .onCheckedRow
      return true
    }
  }

  // A statement finds out by itself that it should stop, but not soon: SQLite asks from time to time.
  @usableFromInline
  func checkMayStep() throws {
    statement.database.preconditionAccess()
    guard statement.database.checksForInterruption, case .onRow = phase else { return }
    do {
      try statement.database.checkInterruption()
    } catch {
      phase = .failed(error)
      run.finish()
      throw error
    }
  }

  @usableFromInline
  func end() {
    phase = .ended
    run.finish()
  }

  private var reusedError: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "The statement of this cursor was executed again, or its arguments were changed",
      sql: statement.sql)
  }

  // MARK: What is fetched

  /// The SQL of the statement.
  public var sql: String { statement.sql }

  /// The arguments of the statement.
  public var arguments: StatementArguments { usedArguments }

  /// The names of the columns of the statement.
  public var columnNames: [String] { statement.columnNames }

  /// The number of columns of the statement.
  public var columnCount: Int { statement.columnCount }

  /// What the statement reads, with the arguments of the cursor.
  public var databaseRegion: DatabaseRegion { statement.region(with: usedArguments, isChecked: false) }
}

@available(*, unavailable)
extension FetchCursor: Sendable {}

/// A cursor of rows or records.
public typealias WholeRowCursor<Element: RowDecodable> = FetchCursor<WholeRowDecoding<Element>>

/// The name that GRDB gives to a cursor of rows.
public typealias RowCursor = WholeRowCursor<Row>
