/// A statement with its arguments, and the processing of its rows before they are decoded.
///
/// All fetches call one of the three methods of this type: `makeCursor`, `forEach`, `first`.
public struct PreparedRequest {
  let preparedStatement: Statement
  let arguments: StatementArguments?

  // Boxed, because a request is copied several times, and most requests have no adapter: copying the optional
  // existential takes 50 instructions, even if it is nil (benchmark `look up: fetchOne(db, sql:arguments:)`).
  @usableFromInline private(set) var adapterBox: AdapterBox?

  /// The adapter of the rows.
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

  /// The region that the request reads. The statement may be running with other arguments.
  var databaseRegion: DatabaseRegion {
    get throws {
      let region = statementRegion
      return supplementaryFetch == nil ? region : region.union(try supplementaryRegion(besides: region))
    }
  }

  private var statementRegion: DatabaseRegion {
    arguments.map { preparedStatement.region(with: $0, isChecked: false) } ?? preparedStatement.databaseRegion
  }

  /// The region that the other queries read: empty if the statement returns no row, whatever the database contains.
  private func supplementaryRegion(besides statementRegion: DatabaseRegion) throws -> DatabaseRegion {
    guard let supplementaryFetch, !statementRegion.isEmpty else { return DatabaseRegion() }
    return try supplementaryFetch.region(preparedStatement.database)
  }

  /// Creates a request that executes a statement.
  ///
  /// - Parameter statement: The statement, with its arguments.
  /// - Parameter adapter: The adapter of the rows.
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

  /// Returns a cursor over all elements.
  @usableFromInline
  func makeCursor<Decoding: RowDecoding>(_: Decoding.Type) throws -> FetchCursor<Decoding> {
    precondition(
      !Decoding._decodesPrefetchedRows || supplementaryFetch == nil,
      "A cursor cannot prefetch associated rows: use fetchAll, fetchSet or fetchOne instead of fetchCursor")
    return try FetchCursor(preparedStatement, arguments: arguments, adapter: adapterBox)
  }

  /// Decodes all elements from copied rows.
  @inlinable
  func forEach<Decoding: RowDecoding>(_: Decoding.Type, _ body: (Decoding.Element) -> Void) throws {
    if Decoding._decodesPrefetchedRows, let rows = try completedRows() {
      let window = rows.makeWindow()
      defer { window.forgetDecoder() }
      for index in 0..<rows.count {
        window.move(to: index)
        body(try Decoding._decodeCopy(window))
      }
    } else {
      let cursor = try makeCursor(Decoding.self)
      guard try cursor.step() else { return }
      // All rows after the first step use the same window. A local reference avoids a retain and a release for each row
      // (benchmark `[Date] from text`).
      let row = cursor.run.row
      repeat { body(try Decoding._decodeCopy(row)) } while try cursor.step()
    }
  }

  /// Decodes the first element.
  @inlinable
  func first<Decoding: RowDecoding>(_: Decoding.Type) throws -> Decoding.Element? {
    if Decoding._decodesPrefetchedRows, let rows = try completedRows(countMax: 1) {
      if rows.count == 0 { return nil }
      let window = rows.makeWindow()
      defer { window.forgetDecoder() }
      return try Decoding._decodeOne(window)
    }
    var run = try makeRun()
    defer { run.finishKeepingRow(adapterBox) }
    return try run.stepToFirstRow(adapterBox) ? Decoding._decodeOne(run.row) : nil
  }

  /// Runs the statement for a single row, without allocating a cursor.
  @usableFromInline
  func makeRun() throws -> StatementRun {
    try StatementRun(preparedStatement, arguments: arguments, adapter: adapterBox)
  }

  /// Returns the completed rows, or nil if rows do not need to be completed.
  @usableFromInline
  func completedRows(countMax: Int = .max) throws -> StoredRows? {
    if supplementaryFetch == nil { return nil }
    let rows = try storedRows(countMax: countMax)
    try complete(rows)
    return rows
  }

  /// Returns copies of the rows, which are not completed.
  ///
  /// - Parameters:
  ///   - countMax: The maximum number of rows.
  ///   - known: Rows to which the rows of this request are appended.
  func storedRows(countMax: Int = .max, appendedTo known: StoredRows? = nil) throws -> StoredRows {
    let cursor = try makeCursorOfIncompleteRows()
    guard try cursor.step() else { return known ?? StoredRows(like: cursor.run.row) }
    let row = cursor.run.row
    let rows = known ?? StoredRows(like: row)
    repeat { try rows.append(row) } while try rows.count < countMax && cursor.step()
    return rows
  }

  /// Returns a cursor over the rows, without the rows that other queries add.
  func makeCursorOfIncompleteRows() throws -> RowCursor {
    try RowCursor(preparedStatement, arguments: arguments, adapter: adapterBox)
  }

  /// Fetches the rows that belong to the rows of this request.
  func complete(_ rows: StoredRows) throws {
    guard let supplementaryFetch else { return }
    try recordSupplementaryRegion()
    try supplementaryFetch.complete(rows, preparedStatement.database)
  }

  /// Records what the other queries read, unless they record it themselves.
  func recordSupplementaryRegion() throws {
    let db = preparedStatement.database
    // A region that is recorded once must not depend on the rows of this snapshot.
    guard supplementaryFetch != nil, db.readRecorder?.usesBounds == false else { return }
    let region = try supplementaryRegion(besides: statementRegion)
    try db.registerAccess(to: region)
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
  private let fetch: (Database, StoredRows) throws -> Void
  private let findRegion: (Database) throws -> DatabaseRegion
  private let findRequests: (Database, StoredRows) throws -> [Request]

  /// One of the other queries.
  struct Request {
    /// The keys that lead to the rows that it adds.
    var keys: [String]
    var request: any FetchRequest<Row>
  }

  /// - Parameters:
  ///   - fetch: Adds prefetched rows to the rows of the request.
  ///   - region: Returns what `fetch` reads, whatever the rows are.
  ///   - requests: Returns the requests that `fetch` runs for rows of the request.
  init(
    fetch: @escaping (Database, StoredRows) throws -> Void, region: @escaping (Database) throws -> DatabaseRegion,
    requests: @escaping (Database, StoredRows) throws -> [Request]
  ) {
    self.fetch = fetch
    findRegion = region
    findRequests = requests
  }

  func complete(_ rows: StoredRows, _ db: Database) throws { try fetch(db, rows) }

  func region(_ db: Database) throws -> DatabaseRegion { try findRegion(db) }

  func requests(for rows: StoredRows, _ db: Database) throws -> [Request] { try findRequests(db, rows) }
}
