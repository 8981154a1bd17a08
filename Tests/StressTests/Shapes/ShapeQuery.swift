import Tidemark
@testable import TidemarkEssentials

/// A query with its arguments.
struct ShapeQuery: Sendable {
  /// The SQL; of a request, the calls that build it.
  var sql: String
  var arguments: [DatabaseValue]
  var shapes: Set<Shape>

  /// The tables and views that are read, as written in SQL.
  var tables: [String]

  /// Whether the order of the rows is complete, so that it is a part of the result.
  var isOrdered: Bool

  var observation = Observation.ofReads

  /// A second query, which the same observation fetches.
  var second: String?

  /// The request, if the query is not SQL.
  var composed: QueryInterfaceRequest<Row>?

  /// Whether the rows of the request are counted, and not fetched.
  var countsRows = false

  /// The rows that are fetched.
  var extent = Extent.all

  enum Extent: String {
    case all

    /// The first row.
    case first

    /// The first row, with a cursor that could return the others.
    case firstOfCursor
  }

  enum Observation: String {
    /// The region is determined with each fetch.
    case ofReads

    /// The region is determined with the first fetch.
    case constantRegion

    /// The region is given.
    case givenRegion

    /// An observation with several subscribers.
    case shared

    /// The differences between consecutive results. The value is the list to which they are applied.
    case differences

    /// The same, and changed rows are fetched one by one whenever this is possible.
    case differencesByRow

    /// The same as `differences`, with several subscribers.
    case sharedDifferences

    var hasDifferences: Bool { [.differences, .differencesByRow, .sharedDifferences].contains(self) }

    /// Whether schema changes may modify the region without notice.
    var hasFixedRegion: Bool { self == .constantRegion || self == .givenRegion }
  }

  var request: any FetchRequest<Row> {
    composed ?? SQLRequest<Row>(sql: sql, arguments: StatementArguments(arguments))
  }

  /// The query and its arguments.
  var script: String {
    var comments = arguments.enumerated().map { "?\($0 + 1) = \($1)" }
    if observation != .ofReads { comments.append("observation: \(observation.rawValue)") }
    if extent != .all { comments.append("rows: \(extent.rawValue)") }
    let comment = comments.isEmpty ? "" : "-- \(comments.joined(separator: ", "))\n"
    let prefix = composed == nil ? "" : "-- request\(countsRows ? ", whose rows are counted" : ""):\n-- "
    return "\(comment)\(prefix)\(sql);" + (second.map { "\n\($0);" } ?? "")
  }

  /// Fetches the result as text, or returns the text of an error. After an error, any change may modify the result.
  ///
  /// SQLite may choose any order for rows that are equal in all terms of `ORDER BY`. Without a complete order, the rows
  /// are sorted here.
  func text(_ db: Database) -> String {
    do {
      var lines = try [countsRows ? "\(request.fetchCount(db))" : text(fetchExtent(db))]
      if let second { lines.append("second: \(try Row.fetchAll(db, sql: second).map(\.description).sorted())") }
      return lines.joined(separator: "\n")
    } catch {
      do {
        try db.registerAccess(to: DatabaseRegion.fullDatabase)
      } catch {
        return Self.text(error)
      }
      return Self.text(error)
    }
  }

  func text(_ records: [ShapeRecord]) -> String {
    let lines = records.map(\.text)
    return (isOrdered ? lines : lines.sorted()).joined(separator: "\n")
  }

  static func text(_ error: any Error) -> String { "error: \((error as? DatabaseError)?.message ?? "\(error)")" }

  private func fetchExtent(_ db: Database) throws -> [ShapeRecord] {
    switch extent {
    case .all: try fetchRecords(db)
    case .first: try first(db).map { [$0] } ?? []
    case .firstOfCursor: try firstOfCursor(db).map { [$0] } ?? []
    }
  }

  private func first(_ db: Database) throws -> ShapeRecord? {
    if let composed { return try checked(composed, db).asRequest(of: ShapeRecord.self).fetchOne(db) }
    return try records.fetchOne(db)
  }

  private func firstOfCursor(_ db: Database) throws -> ShapeRecord? {
    if let composed { return try composed.asRequest(of: ShapeRecord.self).fetchCursor(db).next() }
    return try records.fetchCursor(db).next()
  }

  /// The SQL, whose rows are decoded as records.
  private var records: SQLRequest<ShapeRecord> { SQLRequest(sql: sql, arguments: StatementArguments(arguments)) }

  func fetchRecords(_ db: Database) throws -> [ShapeRecord] {
    if let composed { return try checked(composed, db).asRequest(of: ShapeRecord.self).fetchAll(db) }
    return try records.fetchAll(db)
  }

  /// Returns the request, or throws if an associated table cannot be read. Without an associated row, only observations
  /// read it, for their region.
  private func checked<Request: FetchRequest>(_ request: Request, _ db: Database) throws -> Request {
    _ = try request.databaseRegion(db)
    return request
  }

  /// Whether its changed rows can be fetched one by one.
  func isIncremental(_ db: Database) throws -> Bool {
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    if prepared.supplementaryFetch != nil { return false }
    let statement = try db.compile(prepared.preparedStatement.sql, isInternal: true)
    return try IncrementalQuery(statement, prepared.currentArguments, db) != nil
  }

  /// The differences between consecutive results.
  func differences() -> DifferenceObservation<ShapeRecord> {
    composed.map { differences(of: $0.asRequest(of: ShapeRecord.self)) } ?? differences(of: records)
  }

  private func differences(of request: some FetchRequest<ShapeRecord>) -> DifferenceObservation<ShapeRecord> {
    if observation != .differencesByRow { return request.differences { $0.id } }
    return DifferenceObservation(
      request,
      TrackedResult<ShapeRecord>.Comparison(
        id: { AnyHashable($0.id) }, difference: { $1.keyedDifference(from: $0) { $0.id } }),
      cost: RowFetchCost(instructionCount: 0)
    ) { try $0.array(WholeRowDecoding<ShapeRecord>.self, &$1) }
  }
}

/// A result row. Several rows may have the same identity.
struct ShapeRecord: FetchableRecord, Equatable, Sendable {
  var id: String
  var text: String

  init(row: Row) {
    let values = row.databaseValues.map { "\($0)" }
    id = values.first ?? ""
    // The rows of associated tables are shown, too.
    let isFlat = row.scopes.isEmpty && row.prefetchedRows.isEmpty
    text = isFlat ? values.joined(separator: "|") : row.tree
  }
}

/// A table that a part of a query can refer to.
struct ShapeSource {
  var name: String
  var columns: [String]
  var hasRowID = false
  var isFullText = false
}

/// The tables that an expression can refer to: the tables of its own query first, then the tables
/// of the enclosing queries.
typealias ShapeScope = [[ShapeSource]]
