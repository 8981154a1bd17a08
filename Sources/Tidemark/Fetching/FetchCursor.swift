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
/// 4. Names and adapters follow the schema: they are those of the columns that the rows have, not of those that
///    the statement had when it was compiled.
/// 5. A cursor that left its access is not stepped: that traps.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
  /// What a row becomes.
  public typealias Element = Decoding.Element

  @usableFromInline let statement: Statement
  @usableFromInline @exclusivity(unchecked) private(set) var row: Row
  private let adapter: (any RowAdapter)?
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
    statement.database.preconditionAccess()
    var statement = try statement.idle()
    do {
      row = try Row(statement: statement, adapter: adapter)
    } catch {
      // The schema may have changed since the statement was compiled: the columns of today decide.
      statement = try statement.recompiled()
      row = try Row(statement: statement, adapter: adapter)
    }
    try statement.start(arguments)
    self.statement = statement
    self.adapter = adapter
    run = statement.run
    usedArguments = statement.currentArguments
  }

  deinit { statement.finish(run: run) }

  /// The next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    preconditionAccess()
    return try step() ? Decoding._decode(row) : nil
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

  private func stepFirst() throws -> Bool {
    do {
      return try statement.stepToFirstRow()
    } catch {
      phase = .failed(error)
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
    case .beforeFirstRow, .onRow:
      guard statement.run == run else { throw reusedError }
      statement.database.preconditionAccess()
      guard try stepFirst() else {
        end()
        return false
      }
      phase = .onRow
      // Known after the first step only: the schema may have changed since the statement was compiled.
      if statement.columnsAfterRecompilation() != nil { try followSchema() }
      return true
    }
  }

  private func followSchema() throws {
    do {
      row = try Row(statement: statement, adapter: adapter)
    } catch {
      phase = .failed(error)
      statement.finish(run: run)
      throw error
    }
  }

  @usableFromInline
  func preconditionAccess() { statement.database.preconditionAccess() }

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

  /// What the statement reads, with the arguments of the cursor.
  public var databaseRegion: DatabaseRegion { statement.region(with: usedArguments, isChecked: false) }
}

@available(*, unavailable)
extension FetchCursor: Sendable {}

extension Row {
  /// A window on a statement, through an adapter.
  fileprivate convenience init(statement: Statement, adapter: (any RowAdapter)?) throws {
    self.init(statement: statement, layout: try adapter?._layout(of: RowLayout(statement.columns)))
  }
}

extension Statement {
  /// Another statement of the same text and arguments, compiled now. This one is not kept any longer for others.
  fileprivate func recompiled() throws -> Statement {
    database.statements.remove(self)
    database.publicStatements.remove(self)
    // What other connections did to the schema is seen by a statement that runs, not by one that is compiled.
    try database.execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
    let statement = try database.compile(sql, isInternal: isInternal)
    statement.currentArguments = currentArguments
    statement.checksArguments = checksArguments
    return statement
  }
}
/// A cursor of rows or records.
public typealias WholeRowCursor<Element: RowDecodable> = FetchCursor<WholeRowDecoding<Element>>

/// The name that GRDB gives to a cursor of rows.
public typealias RowCursor = WholeRowCursor<Row>
