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
/// Laws:
/// 1. An element that cannot be decoded throws, and the next step shows the next row.
/// 2. A step that fails throws, and so does each step after it.
/// 3. A statement that was started again by somebody else is not stepped by this cursor any more.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
  /// What a row becomes.
  public typealias Element = Decoding.Element

  @usableFromInline let statement: Statement
  @usableFromInline let row: Row
  @usableFromInline @exclusivity(unchecked) var phase = Phase.beforeFirstRow

  /// The run of the statement that is ours.
  @usableFromInline let run: UInt

  private let usedArguments: StatementArguments

  @usableFromInline
  enum Phase {
    case beforeFirstRow
    case onRow
    case ended
    case failed(any Error)
  }

  init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
    let statement = try statement.idle()
    try statement.start(arguments)
    self.statement = statement
    run = statement.run
    usedArguments = statement.currentArguments
    do {
      let layout = try adapter?._layout(of: RowLayout(statement.columns))
      row = Row(statement: statement, layout: layout)
    } catch {
      statement.finish()
      throw error
    }
  }

  deinit { statement.finish(run: run) }

  /// The next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    try step() ? Decoding._decode(row) : nil
  }

  /// The next element, in a form that outlives the next step.
  @inlinable
  func nextKept() throws -> Element? {
    try step() ? Decoding._decodeKept(row) : nil
  }

  /// Whether there is one more row.
  @inlinable
  func step() throws -> Bool {
    if case .onRow = phase, statement.run == run {
      if try stepStatement() { return true }
      end()
      return false
    }
    return try stepSlowly()
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
    case .beforeFirstRow, .onRow:
      guard statement.run == run else { throw reusedError }
      statement.database.preconditionAccess()
      guard try stepStatement() else {
        end()
        return false
      }
      phase = .onRow
      // Known after the first step only: the schema may have changed since the statement was compiled.
      if let columns = statement.columnsAfterRecompilation() { row.baseColumns = columns }
      return true
    }
  }

  @usableFromInline
  func end() {
    phase = .ended
    statement.finish(run: run)
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

  /// What the statement reads.
  public var databaseRegion: DatabaseRegion { statement.databaseRegion }
}

@available(*, unavailable)
extension FetchCursor: Sendable {}

/// A cursor of rows or records.
public typealias WholeRowCursor<Element: RowDecodable> = FetchCursor<WholeRowDecoding<Element>>

/// The name that GRDB gives to a cursor of rows.
public typealias RowCursor = WholeRowCursor<Row>
