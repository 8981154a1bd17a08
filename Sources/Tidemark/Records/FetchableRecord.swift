/// A type that a whole row can become.
///
/// ```swift
/// struct Book: FetchableRecord {
///   var id: Int64
///   var title: String
///
///   init(row: Row) throws {
///     id = row["id"]
///     title = row["title"]
///   }
/// }
///
/// let books = try dbQueue.read { db in
///   try Book.fetchAll(db, sql: "SELECT * FROM book")
/// }
/// ```
public protocol FetchableRecord: RowDecodable {
  /// A record from a row.
  ///
  /// The row may be a window on a running statement: do not keep it, keep its `copy()`.
  init(row: Row) throws
}

extension FetchableRecord {
  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) throws -> Self { try Self(row: row) }
}

/// The name that GRDB gives to a cursor of records.
public typealias RecordCursor<Record: FetchableRecord> = WholeRowCursor<Record>
