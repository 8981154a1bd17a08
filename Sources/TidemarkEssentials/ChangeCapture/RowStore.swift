/// The rows of a large transaction, in a temporary file.
///
/// They are stored in segments, which are read one by one, and removed from the end when changes are undone.
struct RowStore: Sendable {
  /// A position among the rows of a transaction: the number of rows before it, of their values, and of the bytes of
  /// their texts and blobs.
  struct Position: Sendable, Equatable {
    var records = 0
    var values = 0
    var bytes = 0

    static func + (lhs: Self, rhs: Self) -> Self {
      Position(records: lhs.records + rhs.records, values: lhs.values + rhs.values, bytes: lhs.bytes + rhs.bytes)
    }

    static func - (lhs: Self, rhs: Self) -> Self {
      Position(records: lhs.records - rhs.records, values: lhs.values - rhs.values, bytes: lhs.bytes - rhs.bytes)
    }
  }

  struct Segment: Sendable {
    fileprivate let offset: Int64
    fileprivate let byteCount: Int
    let start: Position
    let end: Position
    let layouts: [CaptureLayout]

    /// The changes of the tables of `layouts`.
    let tables: [TableSummary]
  }

  /// The captured changes of a table in some rows.
  struct TableSummary: Sendable {
    let layout: CaptureLayout
    var rowCount = 0
    var kinds = CommittedChanges.Kinds()
    var changedColumns: UInt64 = 0

    /// Whether the row ID of an updated row has changed.
    var isMoved = false

    /// Whether a row is known incompletely.
    var hasUnknownRow = false

    mutating func add(_ record: ChangeRecord) {
      guard record.isCaptured else { return }
      rowCount += 1
      kinds.insert(record.kind)
      changedColumns |= record.changedColumns
      if record.oldRowID != record.newRowID { isMoved = true }
      if record.unknownColumn != nil || record.hasRepairedText || layout.wholeRows == nil { hasUnknownRow = true }
    }

    /// The columns of all updates; nil for any column.
    var updatedColumns: Set<String>? {
      layout.changedColumns(
        ChangeRecord(kind: .update, newRowID: isMoved ? 1 : 0, changedColumns: changedColumns))
    }
  }

  private let file: TemporaryFile
  private(set) var segments: [Segment] = []

  init(vfs: String?) throws { file = try TemporaryFile(vfs: vfs) }

  /// The size of the file.
  var byteCount: Int { segments.last.map { Int($0.offset) + $0.byteCount } ?? 0 }

  // MARK: - Writing

  /// Stores rows of a log as a segment.
  ///
  /// - Parameter start: The position of the first row in the log.
  /// - Parameter end: The position after the last row in the log.
  /// - Parameter base: The position of the log in the transaction.
  mutating func append(
    _ records: ArraySlice<ChangeRecord>, _ values: CapturedValues, _ logLayouts: [CaptureLayout],
    from start: Position, to end: Position, after base: Position
  ) throws {
    var layouts: [CaptureLayout] = []
    var tables: [TableSummary] = []
    var indexes: [ObjectIdentifier: UInt32] = [:]
    var bytes: [UInt8] = []
    for record in records {
      let layout = logLayouts[Int(record.table)]
      let index = indexes[ObjectIdentifier(layout)] ?? UInt32(layouts.count)
      if index == layouts.count {
        indexes[ObjectIdentifier(layout)] = index
        layouts.append(layout)
        tables.append(TableSummary(layout: layout))
      }
      tables[Int(index)].add(record)
      var stored = record
      stored.table = index
      if record.isCaptured { stored.valueStart -= UInt32(start.values) }
      withUnsafeBytes(of: stored) { bytes.append(contentsOf: $0) }
    }
    values.part(start.values..<end.values, bytes: start.bytes..<end.bytes).append(to: &bytes)
    let offset = Int64(byteCount)
    try file.write(bytes, at: offset)
    segments.append(
      Segment(
        offset: offset, byteCount: bytes.count, start: base + start, end: base + end, layouts: layouts,
        tables: tables))
  }

  // MARK: - Reading

  /// The rows of a segment.
  func rows(of segment: Segment) throws -> CapturedLog {
    let count = segment.end - segment.start
    return try file.read(segment.byteCount, at: segment.offset).withUnsafeBytes { bytes in
      let recordSize = MemoryLayout<ChangeRecord>.size
      let records = (0..<count.records).map { index in
        bytes.loadUnaligned(fromByteOffset: index * recordSize, as: ChangeRecord.self)
      }
      let values = CapturedValues(
        UnsafeRawBufferPointer(rebasing: bytes[(count.records * recordSize)...]), count: count.values,
        byteCount: count.bytes)
      return CapturedLog(records: records, values: values, layouts: segment.layouts)
    }
  }

  /// Removes the segment that contains a row, and the following ones.
  ///
  /// - Parameter row: The number of rows before it.
  /// - Returns: The segment.
  mutating func removeSegments(from row: Int) -> Segment? {
    guard let index = segments.firstIndex(where: { row < $0.end.records }) else { return nil }
    defer { segments.removeSubrange(index...) }
    return segments[index]
  }
}

/// All captured rows of a transaction, in parts: the stored ones, and those in memory.
///
/// Each part is a log with whole rows, to be read in order. The numbers of rows in `RowlessChange` are numbers of rows
/// of all parts.
struct TransactionRows: Sendable {
  /// The stored parts; nil if all rows are in memory.
  let store: RowStore?

  /// The last part.
  let tail: CapturedLog

  /// The tables whose rows are not known completely: rows in the parts may have been undone.
  let incompleteTables: Set<TableKey>

  /// Whether rows of these tables are not known because there were too many.
  let isTruncated: Bool

  /// The schema changes and notifications.
  let rowlessChanges: [ChangeLog.RowlessChange]

  var partCount: Int { (store?.segments.count ?? 0) + 1 }

  /// The rows of a part.
  ///
  /// - Throws: An error if the temporary file cannot be read.
  func part(_ index: Int) throws -> CapturedLog {
    guard let store, index < store.segments.count else { return tail }
    return try store.rows(of: store.segments[index])
  }

  /// The number of rows before a part.
  func rowCount(beforePart index: Int) -> Int {
    guard let store else { return 0 }
    return index < store.segments.count
      ? store.segments[index].start.records : store.segments.last?.end.records ?? 0
  }

  /// The number of captured rows of some tables.
  func rowCount(where isIncluded: (TableKey) -> Bool) -> Int {
    let stored = store?.segments.reduce(0) { count, segment in
      segment.tables.reduce(count) { $0 + (isIncluded($1.layout.key) ? $1.rowCount : 0) }
    }
    return tail.records.reduce(stored ?? 0) { count, record in
      count + (record.isCaptured && isIncluded(tail.layouts[Int(record.table)].key) ? 1 : 0)
    }
  }
}

extension ChangeRecord {
  /// The number of its values.
  func valueCount(_ layout: CaptureLayout) -> Int {
    isCaptured ? layout.storedColumns.count * (kind == .update ? 2 : 1) : 0
  }
}
