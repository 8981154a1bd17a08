import Tidemark

/// The range of rows to load from a result.
struct PageRequest: Hashable, Sendable {
  var offset = 0
  var rowCountMax = 200

  /// Pages start at multiples of this number.
  static let step = 100

  /// The largest number of values in a page, for any number of columns.
  static let valueCountMax = 40_000
}

/// Some rows of the result of a query: those around the visible ones.
struct ResultPage: Equatable, Sendable {
  var columns: [String] = []

  /// The number of the first row.
  var offset = 0
  var rows: [[CellValue]] = []

  /// Whether there are rows after the page.
  var hasMore = false

  /// The format of each column: computed once, for many frames.
  private(set) var formats: [ColumnFormat] = []

  /// The width of each column.
  private(set) var widths: [Int] = []

  /// The number of rows up to the last one that is loaded.
  var end: Int { offset + rows.count }

  /// The largest width that is computed.
  static let widthMax = 200

  init(columns: [String], rows: [[CellValue]], offset: Int = 0, hasMore: Bool = false) {
    self.columns = columns
    self.rows = rows
    self.offset = offset
    self.hasMore = hasMore
  }

  /// Creates a page with the formats and widths of its columns, so that drawing does not compute them.
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
  /// Reads rows up to the end of the requested range and no further: a table may have millions.
  init(_ db: Database, sql: String, _ request: PageRequest) throws {
    let cursor = try Row.fetchCursor(db, sql: sql)
    let columns = cursor.columnNames
    let rowCountMax = min(request.rowCountMax, max(50, PageRequest.valueCountMax / max(1, columns.count)))
    var offset = 0
    while offset < request.offset, try cursor.next() != nil { offset += 1 }
    var rows: [[CellValue]] = []
    // If the result has become shorter than the offset, no row remains.
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
