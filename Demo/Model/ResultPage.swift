import Tidemark

/// Which rows of a result are wanted.
struct PageRequest: Hashable, Sendable {
  var offset = 0
  var rowCountMax = 200

  /// Pages begin at multiples of this.
  static let step = 100

  /// More values than that are not kept, however many columns there are.
  static let valueCountMax = 40_000
}

/// Some rows of the result of a query: those around the ones that can be seen, however many there are.
struct ResultPage: Equatable, Sendable {
  var columns: [String] = []

  /// The number of the first row.
  var offset = 0
  var rows: [[CellValue]] = []

  /// Whether there are rows behind these.
  var hasMore = false

  /// How each column is written: found once, for many frames.
  private(set) var formats: [ColumnFormat] = []

  /// How many places each column takes.
  private(set) var widths: [Int] = []

  /// The number of rows up to the last one that is known.
  var end: Int { offset + rows.count }

  /// Nothing wider is asked for.
  static let widthMax = 200

  init(columns: [String], rows: [[CellValue]], offset: Int = 0, hasMore: Bool = false) {
    self.columns = columns
    self.rows = rows
    self.offset = offset
    self.hasMore = hasMore
  }

  /// The page with the formats and widths of its columns: what is fetched is not measured before it is shown.
  func measured() -> ResultPage {
    var page = self
    for index in columns.indices {
      let format = ColumnFormat(columns[index], rows.map { $0[index] })
      let header = columns[index].cut(to: 60).width
      page.formats.append(format)
      page.widths.append(
        rows.reduce(max(1, header)) { max($0, ValueText($1[index], format).text.cut(to: Self.widthMax).width) })
    }
    return page
  }
}

extension ResultPage {
  /// Reads rows up to the last one that is wanted, and no further: a table may have millions.
  init(_ db: Database, sql: String, _ request: PageRequest) throws {
    let cursor = try Row.fetchCursor(db, sql: sql)
    let columns = cursor.columnNames
    let rowCountMax = min(request.rowCountMax, max(50, PageRequest.valueCountMax / max(1, columns.count)))
    var offset = 0
    while offset < request.offset, try cursor.next() != nil { offset += 1 }
    var rows: [[CellValue]] = []
    // Where the result has become shorter than the offset, nothing is left.
    while offset == request.offset, let row = try cursor.next() {
      if rows.count == rowCountMax {
        self.init(columns: columns, rows: rows, offset: offset, hasMore: true)
        return
      }
      rows.append(row.databaseValues.map(CellValue.init))
    }
    self.init(columns: columns, rows: rows, offset: offset)
  }
}
