/// An adapter, as a request and its run keep it.
@usableFromInline
final class AdapterBox {
  let adapter: any RowAdapter

  private init(_ adapter: any RowAdapter) {
    self.adapter = adapter
  }

  /// Nil for none. Whether there is one is asked here, where it is inlined: to take an adapter out of its optional is
  /// to copy it, and to let go of the copy: some hundred instructions, there or not (Benchmarks: `access: pool.read`).
  @inlinable @inline(__always)
  static func boxing(_ adapter: (any RowAdapter)?) -> AdapterBox? { adapter == nil ? nil : boxed(adapter) }

  @usableFromInline @inline(never)
  static func boxed(_ adapter: (any RowAdapter)?) -> AdapterBox? { adapter.map { AdapterBox($0) } }
}

/// A run of a statement, and the window through which its rows show.
///
/// Whoever makes one finishes it.
@usableFromInline
struct StatementRun {
  @usableFromInline let statement: Statement

  /// Which run of the statement it is.
  @usableFromInline let number: UInt

  /// The row that the statement is at.
  @usableFromInline private(set) var row: Row

  /// Starts a statement, or a copy of it when it runs already.
  @usableFromInline
  init(_ statement: Statement, arguments: borrowing StatementArguments?, adapter: AdapterBox?) throws {
    statement.database.preconditionAccess()
    var statement = try statement.availableStatement()
    if let adapter = adapter?.adapter {
      do {
        row = try Row(statement: statement, adapter: adapter)
      } catch {
        // The schema may have changed since the statement was compiled: the columns of today decide.
        statement = try statement.recompiled()
        row = try Row(statement: statement, adapter: adapter)
      }
    } else {
      row = statement.takeSpareRow() ?? Row(statement: statement)
    }
    try statement.start(arguments)
    if let checking = row.checking { checking.reset() }
    row.reusesDecoder = true
    self.statement = statement
    number = statement.run
  }

  /// The first step. Names and adapters then follow the schema, which may have changed since the statement was
  /// compiled: that is known after the first step only.
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

  /// Ends the run, unless the statement was started again since. On whatever thread.
  @usableFromInline
  func finish() {
    row.forgetDecoder()
    statement.finish(run: number)
  }

  /// Ends the run, from inside its access, and leaves the window to the next run.
  @usableFromInline
  mutating func finishKeepingRow() {
    finish()
    // Whoever has kept the window for himself keeps it.
    if row.layout == nil, isKnownUniquelyReferenced(&row) { statement.keep(spare: row) }
  }
}

extension Statement {
  /// The window that was left behind by a run, if its columns are those of today.
  fileprivate func takeSpareRow() -> Row? {
    if spareWindow == nil { return nil }
    // Taken out, and not copied and then let go of.
    var spare: AnyObject?
    swap(&spare, &spareWindow)
    // Only `keep(spare:)` puts something there.
    let row = unsafeDowncast(spare.unsafelyUnwrapped, to: Row.self)
    return row.reopen(on: self) ? row : nil
  }

  fileprivate func keep(spare row: Row) {
    if row.close() { spareWindow = row }
  }
}

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
