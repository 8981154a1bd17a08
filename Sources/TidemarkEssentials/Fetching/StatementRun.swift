/// A box for the adapter of a request and its run.
@usableFromInline
final class AdapterBox: Sendable {
  let adapter: any RowAdapter

  private init(_ adapter: any RowAdapter) {
    self.adapter = adapter
  }

  /// The adapter; nil if there is none. The inlined check avoids a copy of the existential, which takes about a hundred
  /// instructions, even if it is nil (benchmark `access: pool.read`).
  @inlinable @inline(__always)
  static func boxing(_ adapter: (any RowAdapter)?) -> AdapterBox? { adapter == nil ? nil : boxed(adapter) }

  @usableFromInline @inline(never)
  static func boxed(_ adapter: (any RowAdapter)?) -> AdapterBox? { adapter.map { AdapterBox($0) } }
}

/// A run of a statement, and the window that shows its rows.
///
/// The creator of a run must finish it.
@usableFromInline
struct StatementRun {
  @usableFromInline let statement: Statement

  /// The number of the statement's run.
  @usableFromInline let number: UInt

  /// The current row.
  @usableFromInline private(set) var row: Row

  /// Starts a statement, or a copy of it if it is already running.
  @usableFromInline
  init(_ statement: Statement, arguments: borrowing StatementArguments?, adapter: AdapterBox?) throws {
    statement.database.preconditionAccess()
    var statement = try statement.availableStatement()
    if let spare = statement.takeSpareRow(for: adapter) {
      row = spare
    } else if let adapter = adapter?.adapter {
      do {
        row = try Row(statement: statement, adapter: adapter)
      } catch {
        // The schema may have changed since the statement was compiled: the adapter needs its current columns.
        statement = try statement.recompiled()
        row = try Row(statement: statement, adapter: adapter)
      }
    } else {
      row = Row(statement: statement)
    }
    try statement.start(arguments)
    if let checking = row.checking { checking.reset() }
    row.reusesDecoder = true
    self.statement = statement
    number = statement.run
  }

  /// Executes the first step. Names and adapters then reflect the current schema: only the first step detects that the
  /// statement must be recompiled.
  @usableFromInline
  mutating func stepToFirstRow(_ adapter: AdapterBox?) throws -> Bool {
    guard try statement.stepToFirstRow() else { return false }
    if statement.columnsAfterRecompilation() != nil { try followSchema(adapter?.adapter) }
    return true
  }

  private mutating func followSchema(_ adapter: (any RowAdapter)?) throws {
    row.forgetDecoder()
    row = try Row(statement: statement, adapter: adapter)
    row.reusesDecoder = true
  }

  /// Ends the run on any thread, unless the statement was restarted.
  @usableFromInline
  func finish() {
    row.forgetDecoder()
    statement.finish(run: number)
  }

  /// Ends the run inside its access, and keeps the window for the next run.
  @usableFromInline
  mutating func finishKeepingRow(_ adapter: AdapterBox?) {
    row.releaseDecoders()
    statement.finish(run: number)
    if isKnownUniquelyReferenced(&row) {
      statement.keep(spare: row, for: adapter)
    } else {
      // A window that is referenced elsewhere cannot be reused.
      row.forgetDecoder()
    }
  }
}

extension Statement {
  /// Returns the window kept by an earlier run with the same adapter, if it has the current columns.
  fileprivate func takeSpareRow(for adapter: AdapterBox?) -> Row? {
    if cached.spareWindow == nil { return nil }
    // Exchange the value to avoid a retain and a release.
    var spare: AnyObject?
    swap(&spare, &cached.spareWindow)
    // Only `keep(spare:)` sets this property.
    let row = unsafeDowncast(spare.unsafelyUnwrapped, to: Row.self)
    // Most rows have no adapter.
    guard adapter == nil ? row.layout == nil : cached.spareAdapter === adapter else { return nil }
    return row.reopen(on: self) ? row : nil
  }

  fileprivate func keep(spare row: Row, for adapter: AdapterBox?) {
    guard row.close() else { return }
    cached.spareWindow = row
    if let adapter { cached.spareAdapter = adapter }
  }
}

extension Row {
  /// Creates a window of a statement, with an adapter.
  fileprivate convenience init(statement: Statement, adapter: (any RowAdapter)?) throws {
    self.init(statement: statement, layout: try adapter?._layout(of: RowLayout(statement.columns)))
  }
}

extension Statement {
  /// Returns a newly compiled statement with the same SQL and arguments, and removes this one from the cache.
  fileprivate func recompiled() throws -> Statement {
    database.caches.fetchStatements.remove(self)
    database.caches.programStatements.remove(self)
    // A running statement detects schema changes made by other connections. Compiling a statement does not.
    try database.execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
    let statement = try database.compile(sql, isInternal: isInternal)
    statement.argumentState.current = argumentState.current
    statement.argumentState.areChecked = argumentState.areChecked
    return statement
  }
}
