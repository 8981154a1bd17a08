/// A statement about to run, and what to do with its rows before they are decoded.
///
/// All fetches end in one of the three methods of this type: `makeCursor`, `forEach`, `first`.
public struct PreparedRequest {
  let preparedStatement: Statement
  let arguments: StatementArguments?

  // In a box, which most requests have none of: to copy an adapter, there or not, takes 50 instructions, and a request
  // is copied some times on its way (Benchmarks: `look up: fetchOne(db, sql:arguments:)`).
  @usableFromInline private(set) var adapterBox: AdapterBox?

  /// Shows the rows of the statement in another way.
  public var adapter: Optional<any RowAdapter> {
    get { adapterBox?.adapter }
    set { adapterBox = .boxing(newValue) }
  }

  /// Completes rows before they are decoded. Nil for most requests.
  var supplementaryFetch: SupplementaryFetch?

  /// The statement, with its arguments.
  public var statement: Statement {
    if let arguments, !preparedStatement.isRunning { preparedStatement.setUncheckedArguments(arguments) }
    return preparedStatement
  }

  /// What the request reads. The statement may be running with other arguments meanwhile.
  var databaseRegion: DatabaseRegion {
    get throws {
      let region =
        arguments.map { preparedStatement.region(with: $0, isChecked: false) } ?? preparedStatement.databaseRegion
      guard let supplementaryFetch else { return region }
      return region.union(try supplementaryFetch.region(preparedStatement.database))
    }
  }

  /// A request that runs a statement.
  public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
    self.init(statement, nil, boxed: .boxing(adapter))
  }

  init(statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) {
    self.init(statement, arguments, boxed: .boxing(adapter))
  }

  @usableFromInline
  init(_ statement: Statement, _ arguments: StatementArguments?, boxed adapter: AdapterBox?) {
    preparedStatement = statement
    self.arguments = arguments
    adapterBox = adapter
    supplementaryFetch = nil
  }

  /// A cursor over all elements.
  @usableFromInline
  func makeCursor<Decoding: RowDecoding>(_: Decoding.Type) throws -> FetchCursor<Decoding> {
    precondition(
      !Decoding._decodesPrefetchedRows || supplementaryFetch == nil,
      "A cursor cannot load associated rows ahead: use fetchAll, fetchSet or fetchOne instead of fetchCursor")
    return try FetchCursor(preparedStatement, arguments: arguments, adapter: adapterBox)
  }

  /// Decodes all elements, in a form that is kept.
  @inlinable
  func forEach<Decoding: RowDecoding>(_: Decoding.Type, _ body: (Decoding.Element) -> Void) throws {
    if Decoding._decodesPrefetchedRows, let rows = try completedRows() {
      for row in rows { body(try Decoding._decodeCopy(row)) }
    } else {
      let cursor = try makeCursor(Decoding.self)
      guard try cursor.step() else { return }
      // The window is that of all rows from the first step on. It is held here: asked for at each row, it would be
      // retained and released at each row (Benchmarks: `[Date] from text`).
      let row = cursor.run.row
      repeat { body(try Decoding._decodeCopy(row)) } while try cursor.step()
    }
  }

  /// Decodes the first element.
  @inlinable
  func first<Decoding: RowDecoding>(_: Decoding.Type) throws -> Decoding.Element? {
    if Decoding._decodesPrefetchedRows, let rows = try completedRows(countMax: 1) {
      return try rows.first.flatMap { try Decoding._decodeOne($0) }
    }
    var run = try makeRun()
    defer { run.finishKeepingRow() }
    return try run.stepToFirstRow(adapterBox) ? Decoding._decodeOne(run.row) : nil
  }

  /// A run of the statement, for one row: a cursor would be one more object.
  @usableFromInline
  func makeRun() throws -> StatementRun {
    try StatementRun(preparedStatement, arguments: arguments, adapter: adapterBox)
  }

  /// The completed rows, or nil when rows need no completion.
  @usableFromInline
  func completedRows(countMax: Int = .max) throws -> [Row]? {
    guard let supplementaryFetch else { return nil }
    let cursor = try RowCursor(preparedStatement, arguments: arguments, adapter: adapterBox)
    var rows: [Row] = []
    while rows.count < countMax, let row = try cursor.nextCopy() { rows.append(row) }
    let db = preparedStatement.database
    // A region that is recorded once must not depend on the rows of this snapshot.
    if db.readSet != nil, !db.recordsBounds {
      let region = try supplementaryFetch.region(db)
      try db.registerAccess(to: region)
    }
    try supplementaryFetch.complete(rows, db)
    return rows
  }
}

// MARK: - Gathering

extension PreparedRequest {
  @inlinable
  func array<Decoding: RowDecoding>(_: Decoding.Type) throws -> [Decoding.Element] {
    var result: [Decoding.Element] = []
    try forEach(Decoding.self) { result.append($0) }
    return result
  }

  @inlinable
  func set<Decoding: RowDecoding>(_: Decoding.Type) throws -> Set<Decoding.Element>
  where Decoding.Element: Hashable {
    var result: Set<Decoding.Element> = []
    try forEach(Decoding.self) { result.insert($0) }
    return result
  }
}

// MARK: - Sources

extension PreparedRequest {
  @inlinable
  init(_ db: Database, _ sql: String, _ arguments: StatementArguments, _ adapter: (any RowAdapter)?) throws {
    try self.init(db, sql, arguments, boxed: .boxing(adapter))
  }

  @inlinable
  init(_ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?) {
    self.init(statement, arguments, boxed: .boxing(adapter))
  }

  @usableFromInline
  init(_ db: Database, _ sql: String, _ arguments: StatementArguments, boxed adapter: AdapterBox?) throws {
    self.init(try db.preparedStatement(sql: sql), arguments, boxed: adapter)
  }
}

/// Other queries that complete the rows of a request.
final class SupplementaryFetch {
  private let fetch: (Database, [Row]) throws -> Void
  private let findRegion: (Database) throws -> DatabaseRegion

  /// - Parameters:
  ///   - fetch: Adds prefetched rows to the rows of the request.
  ///   - region: Returns what `fetch` reads, whatever the rows are.
  init(
    fetch: @escaping (Database, [Row]) throws -> Void, region: @escaping (Database) throws -> DatabaseRegion
  ) {
    self.fetch = fetch
    findRegion = region
  }

  func complete(_ rows: [Row], _ db: Database) throws { try fetch(db, rows) }

  func region(_ db: Database) throws -> DatabaseRegion { try findRegion(db) }
}
