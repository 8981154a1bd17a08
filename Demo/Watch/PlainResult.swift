import Tidemark

/// The rows of a result that are written as lines, complete.
struct PlainResult: Equatable, Sendable {
  var columns: [String]
  var rows: [[DatabaseValue]]

  /// Whether there are more rows than these.
  var isCut: Bool

  init(columns: [String], rows: [[DatabaseValue]], isCut: Bool = false) {
    self.columns = columns
    self.rows = rows
    self.isCut = isCut
  }

  init(_ db: Database, sql: String, rowCountMax: Int) throws {
    let cursor = try Row.fetchCursor(db, sql: sql)
    self.init(columns: cursor.columnNames, rows: [])
    while let row = try cursor.next() {
      if rows.count == rowCountMax {
        isCut = true
        return
      }
      rows.append(row.databaseValues)
    }
  }
}

/// A result that differs from the previous one.
struct PlainChange: Equatable, Sendable {
  /// The number of the change, counted over all queries, from 1 on.
  var number: Int

  /// The number of the query, from 1 on.
  var query: Int
  var time: String
  var result: PlainResult
}
