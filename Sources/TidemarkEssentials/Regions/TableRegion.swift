/// A part of a table, as a union of parts.
///
/// Each part is a set of columns in a set of rows. Queries that read different rows of a table have separate parts, up
/// to a maximum number. Beyond that, a single part covers them.
struct TableRegion: Equatable, Sendable {
  /// The maximum number of separate parts.
  static let partsMax = 8

  /// The parts. They are not empty, and none of them contains another.
  private(set) var parts: [Part] = []

  /// The lowercase name of the column that is an alias of the row ID, or `RowFilter.rowIDName` if there is none. Nil if
  /// the table has no row IDs, or if this is unknown.
  var rowIDName: String?

  init(parts: some Sequence<Part>, rowIDName: String? = nil) {
    self.rowIDName = rowIDName
    for part in parts { add(part) }
  }

  init(columns: (some Sequence<String>)?, rows: RowFilter = .all, rowIDName: String? = nil) {
    self.init(parts: [Part(columns: columns, rows: rows)], rowIDName: rowIDName)
  }

  /// The whole table.
  static let all = TableRegion(columns: [String]?.none)

  var isEmpty: Bool { parts.isEmpty }

  static func == (lhs: Self, rhs: Self) -> Bool { Set(lhs.parts) == Set(rhs.parts) }
}

extension TableRegion {
  /// A set of columns in a set of rows.
  struct Part: Sendable {
    /// The columns that are read, by lowercase name, in their first spelling; nil for all columns. If empty, only the
    /// number of rows is read.
    var columns: [String: String]?

    /// The lowercase names of columns that are not read, but may determine the order of the rows.
    var orderingColumns: Set<String> = []

    /// The columns that are read only to evaluate the row filter, which represents their conditions exactly. A change
    /// of their values is irrelevant if the row matches the filter before and after the change.
    var filteringColumns: Set<String> = []

    /// Whether the table is read without any column, as in `COUNT(*)`.
    var namesTable = false

    /// Whether descriptions include row IDs.
    var namesRowIDs = false

    /// The rows.
    var rows: RowFilter

    init(columns: (some Sequence<String>)?, rows: RowFilter = .all) {
      self.columns = columns.map { columns in
        Dictionary(columns.map { ($0.asciiLowercased, $0) }, uniquingKeysWith: { first, _ in first })
      }
      namesTable = self.columns?.isEmpty == true
      self.rows = rows
    }

    /// Returns whether the value of a column with a lowercase name is read.
    func reads(_ column: String) -> Bool {
      guard let columns else { return true }
      return columns[column] != nil || orderingColumns.contains(column)
    }

    /// Returns whether an update of a column with a lowercase name is relevant for a row that matches before and after
    /// it.
    func shows(_ column: String) -> Bool {
      reads(column) && (!filteringColumns.contains(column) || orderingColumns.contains(column))
    }

    func with(rows: RowFilter) -> Self {
      var result = self
      result.rows = rows
      return result
    }
  }
}

extension TableRegion.Part: Hashable {
  // Parts are equal if they are modified by the same changes. Their descriptions are not compared.
  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.rows == rhs.rows && lhs.readColumns == rhs.readColumns && lhs.filteringColumns == rhs.filteringColumns
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(rows)
    hasher.combine(readColumns)
  }

  /// The lowercase names of the columns whose values are read; nil for all.
  var readColumns: Set<String>? {
    columns.map { Set($0.keys).union(orderingColumns) }
  }
}

// MARK: - Changes

extension TableRegion {
  func isModified(by change: RowChange) -> Bool {
    parts.contains { part in
      switch change.kind {
      case .insert: return mayHold(change.new, part)
      case .delete: return mayHold(change.old, part)
      case .update: return isModified(part, byUpdate: change)
      }
    }
  }

  /// Returns whether the region may include a row of which only the ID is known.
  func mayHold(rowID: Int64) -> Bool {
    parts.contains { mayHold(RowImage(rowID: rowID), $0) }
  }

  /// Returns whether an update of these columns may modify the region. Column names are case-insensitive.
  func isModified(byUpdateOf columns: some Sequence<String>) -> Bool {
    parts.contains { part in part.columns == nil || columns.contains { part.reads($0.asciiLowercased) } }
  }

  private func isModified(_ part: Part, byUpdate change: RowChange) -> Bool {
    guard mayHold(change.old, part) || mayHold(change.new, part) else { return false }
    guard let changedColumns = change.changedColumns, part.columns != nil else { return true }
    // Without `ORDER BY`, SQLite may return rows in the order of their IDs.
    if let old = change.old?.rowID, let new = change.new?.rowID, old != new { return true }
    let rowIDName = rowIDName ?? RowFilter.rowIDName
    if changedColumns.contains(where: { part.shows($0) || $0 == rowIDName }) { return true }
    guard changedColumns.contains(where: { part.reads($0) || part.rows.filters($0) }) else { return false }
    return !(surelyHolds(change.old, part) && surelyHolds(change.new, part))
  }

  private func mayHold(_ image: RowImage?, _ part: Part) -> Bool {
    guard let image else { return true }
    return part.rows.mayAdmit { value(of: $0, in: image) }
  }

  private func surelyHolds(_ image: RowImage?, _ part: Part) -> Bool {
    guard let image else { return false }
    return part.rows.surelyAdmits { value(of: $0, in: image) }
  }

  private func value(of column: String, in image: RowImage) -> DatabaseValue? {
    image.value(of: column) ?? (column == rowIDName ? image.rowID.map { DatabaseValue(.int64($0)) } : nil)
  }
}

// MARK: - Algebra

extension TableRegion {
  func union(_ other: TableRegion) -> TableRegion {
    TableRegion(parts: parts + other.parts, rowIDName: rowIDName ?? other.rowIDName)
  }

  func namingRowIDs() -> TableRegion {
    var result = self
    for index in result.parts.indices { result.parts[index].namesRowIDs = true }
    return result
  }

  private mutating func add(_ part: Part) {
    if part.rows.isEmpty { return }
    var part = part
    // Join parts whose exact union is a part. The result may have an exact union with an earlier part.
    while let union = parts.removeFirst(joining: { $0.exactUnion(part) }) { part = union }
    parts.append(part)
    if parts.count > Self.partsMax, let first = parts.first {
      parts = [parts.dropFirst().reduce(first) { $0.hull($1) }]
    }
  }
}

extension Array {
  /// Removes the first element for which a closure returns a joined element, and returns the latter.
  mutating func removeFirst(joining joined: (Element) -> Element?) -> Element? {
    for (index, element) in enumerated() {
      guard let result = joined(element) else { continue }
      remove(at: index)
      return result
    }
    return nil
  }
}

extension TableRegion.Part {
  /// Returns the union of both parts, if it can be represented exactly.
  fileprivate func exactUnion(_ other: Self) -> Self? {
    if rows == other.rows { return joined(with: other, rows: rows) }
    if columns.map({ Set($0.keys) }) == other.columns.map({ Set($0.keys) }), orderingColumns == other.orderingColumns,
      let union = rows.exactUnion(other.rows)
    {
      return joined(with: other, rows: union)
    }
    if contains(other) { return joined(with: other, rows: rows) }
    if other.contains(self) { return joined(with: other, rows: other.rows) }
    return nil
  }

  /// Returns a part that includes both parts, and perhaps more.
  fileprivate func hull(_ other: Self) -> Self { joined(with: other, rows: rows.hull(other.rows)) }

  private func contains(_ other: Self) -> Bool {
    guard rows.admitsAll(of: other.rows) else { return false }
    guard columns != nil else { return true }
    guard let otherColumns = other.columns else { return false }
    return otherColumns.keys.allSatisfy(reads) && other.orderingColumns.allSatisfy(reads)
  }

  /// Returns a part with the columns of both parts.
  private func joined(with other: Self, rows: RowFilter) -> Self {
    var result = self
    result.columns = columns.flatMap { columns in other.columns.map { columns.merging($0) { first, _ in first } } }
    result.orderingColumns.formUnion(other.orderingColumns)
    result.namesTable = namesTable || other.namesTable
    result.namesRowIDs = namesRowIDs && other.namesRowIDs
    // A row that stays in the joined set may leave one of the two sets.
    let isSame = self.rows == rows && other.rows == rows
    result.filteringColumns = isSame ? filteringColumns.union(other.filteringColumns) : []
    result.filteringColumns = result.filteringColumns.filter { !shows($0) && !other.shows($0) }
    result.rows = rows
    return result
  }
}
