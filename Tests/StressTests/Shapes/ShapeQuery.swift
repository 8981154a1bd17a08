import Tidemark
@testable import TidemarkEssentials

/// A query with its arguments.
struct ShapeQuery: Sendable {
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

  enum Observation: String {
    /// The region is determined with each fetch.
    case ofReads

    /// The region is determined with the first fetch.
    case constantRegion

    /// The region is given.
    case givenRegion

    /// An observation with several subscribers.
    case shared

    /// Whether schema changes may modify the region without notice.
    var hasFixedRegion: Bool { self == .constantRegion || self == .givenRegion }
  }

  var request: SQLRequest<Row> { SQLRequest(sql: sql, arguments: StatementArguments(arguments)) }

  /// The query and its arguments.
  var script: String {
    var comments = arguments.enumerated().map { "?\($0 + 1) = \($1)" }
    if observation != .ofReads { comments.append("observation: \(observation.rawValue)") }
    let comment = comments.isEmpty ? "" : "-- \(comments.joined(separator: ", "))\n"
    return "\(comment)\(sql);" + (second.map { "\n\($0);" } ?? "")
  }

  /// Fetches the result as text, or returns the text of an error. After an error, any change may modify the result.
  ///
  /// SQLite may choose any order for rows that are equal in all terms of `ORDER BY`. Without a complete order, the rows
  /// are sorted here.
  func text(_ db: Database) -> String {
    do {
      var rows = try request.fetchAll(db).map { row in row.databaseValues.map { "\($0)" }.joined(separator: "|") }
      if !isOrdered { rows.sort() }
      if let second { rows.append("second: \(try Row.fetchAll(db, sql: second).map(\.description).sorted())") }
      return rows.joined(separator: "\n")
    } catch {
      do {
        try db.registerAccess(to: DatabaseRegion.fullDatabase)
      } catch {
        return "error: \(error)"
      }
      return "error: \((error as? DatabaseError)?.message ?? "")"
    }
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
