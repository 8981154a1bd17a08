import Synchronization

/// The captured changes of a commit.
struct CommittedChanges: Sendable {
  /// A number that increases with each commit.
  var number: UInt64

  /// The version of the needs at the first captured change. Queries that subscribed later treat the whole commit as
  /// unknown.
  var needsVersion: Int

  /// Whether anything may have changed, for instance because a backup has replaced the database.
  var isUnknown: Bool

  /// Whether transactions follow that were committed together with this one.
  var isContinued = false

  /// The version under which the changes are also stored; nil if they are not. See `CommitRecorder`.
  var recordedVersion: UInt64?

  private let content: Content

  /// The changes. This is a class because commits are passed on and kept: a copy retains one object.
  private final class Content: Sendable {
    let schemaChanges: [SchemaChange]
    let tables: ShortList<TableChanges>
    let log: CapturedLog
    let details: Details?

    init(
      _ schemaChanges: [SchemaChange], _ tables: ShortList<TableChanges>, _ log: CapturedLog, _ details: Details?
    ) {
      (self.schemaChanges, self.tables, self.log, self.details) = (schemaChanges, tables, log, details)
    }
  }

  init(
    number: UInt64 = 0, needsVersion: Int, isUnknown: Bool = false, schemaChanges: [SchemaChange] = [],
    tables: ShortList<TableChanges> = ShortList(), log: CapturedLog = .empty, details: Details? = nil,
    recordedVersion: UInt64? = nil
  ) {
    (self.number, self.needsVersion, self.isUnknown) = (number, needsVersion, isUnknown)
    self.recordedVersion = recordedVersion
    content = Content(schemaChanges, tables, log, details)
  }

  /// The schema changes. In doubt, subscribers treat any of them as a change of everything.
  var schemaChanges: [SchemaChange] { content.schemaChanges }

  /// The changed tables.
  var tables: ShortList<TableChanges> { content.tables }

  /// All captured rows, in the order of their changes.
  var rows: CapturedRows { CapturedRows(log: log) }
  var log: CapturedLog { content.log }

  /// What else the transaction has changed; nil for most transactions.
  var details: Details? { content.details }

  /// The changes of a transaction that are not rows, and the reasons why rows are not reported.
  final class Details: Sendable {
    /// What may have changed without being reported.
    let unreported: ChangeLog.Unreported

    /// Whether rows are not reported because there were too many.
    let isTruncated: Bool

    /// The schema changes and notifications, with the number of reported rows that were changed before.
    let rowlessChanges: [ChangeLog.RowlessChange]

    /// The numbers that are stored now, if a subscriber needs them.
    let numbers: StoredNumbers

    /// The rows of a large transaction, if a subscriber needs all of them. The tables are coarse for the others.
    let storedRows: TransactionRows?

    init(
      unreported: ChangeLog.Unreported, isTruncated: Bool, rowlessChanges: [ChangeLog.RowlessChange],
      _ numbers: StoredNumbers, _ storedRows: TransactionRows?
    ) {
      (self.unreported, self.isTruncated) = (unreported, isTruncated)
      (self.rowlessChanges, self.numbers, self.storedRows) = (rowlessChanges, numbers, storedRows)
    }
  }

  /// The changes of one table. This is a class because each commit passes it to several functions.
  ///
  /// Invariant: a subscriber that retains the object finds it unchanged. Most subscribers use it only during the
  /// notification, or shortly afterwards; its memory then serves for another commit (`isUnshared`). The compiler cannot
  /// check this: whether the object is shared is known at run time.
  final class TableChanges: @unchecked Sendable {
    var key: TableKey { content.key }

    /// Whether only kinds and columns are known: no query needs more, or there were too many rows.
    let isCoarse: Bool

    @exclusivity(unchecked) private var content: Content

    private struct Content {
      var key: TableKey
      var kinds = Kinds()
      var updatedColumns: Set<String>? = []
      var rowIndexes = RowIndexes.all(count: 0)
      var log: CapturedLog
    }

    /// The kinds of changes.
    var inserts: Bool { content.kinds.contains(.insert) }
    var deletes: Bool { content.kinds.contains(.delete) }
    var updates: Bool { content.kinds.contains(.update) }

    /// The updated columns, in lower case; nil for any column.
    var updatedColumns: Set<String>? { content.updatedColumns }

    /// The indexes of the table's rows in `CommittedChanges.rows`.
    var rowIndexes: RowIndexes { content.rowIndexes }

    /// The rows of the commit.
    var log: CapturedLog { content.log }

    init(key: TableKey, isCoarse: Bool = false, log: CapturedLog) {
      self.isCoarse = isCoarse
      content = Content(key: key, log: log)
    }

    /// Sets the changes, before any subscriber is notified.
    func set(_ kinds: Kinds, updatedColumns: Set<String>?, _ rowIndexes: RowIndexes) {
      (content.kinds, content.updatedColumns, content.rowIndexes) = (kinds, updatedColumns, rowIndexes)
    }

    /// Uses the object for changes of a table, with one layout.
    func reuse(for table: CapturedTable) {
      // Most often, it is the same table.
      if let layout = content.log.layouts.first, layout === table.state.layouts.first { return }
      content.key = table.key
      content.log.setLayouts(table.state.layouts)
    }

    /// Whether no subscriber retains the object, or its rows.
    ///
    /// The reference counts would be enough. Subscribers are also counted explicitly, because the thread sanitizer does
    /// not see the order in which reference counts change.
    static func isUnshared(_ changes: inout TableChanges) -> Bool {
      isKnownUniquelyReferenced(&changes) && changes.isLogUnshared
    }

    private var isLogUnshared: Bool { !content.log.hasReaders && isKnownUniquelyReferenced(&content.log) }

    /// Creates a copy with a copy of the rows.
    init(_ other: TableChanges, log: CapturedLog) {
      (isCoarse, content) = (other.isCoarse, other.content)
      content.log = log
    }
  }

  /// The kinds of changes in a table.
  struct Kinds: Sendable {
    private var bits: UInt8 = 0

    mutating func insert(_ kind: RowChange.Kind) { bits |= 1 << kind.rawValue }
    func contains(_ kind: RowChange.Kind) -> Bool { bits & 1 << kind.rawValue != 0 }
    var isEmpty: Bool { bits == 0 }
  }

  /// Indexes of rows of a commit. Usually, they are all rows.
  enum RowIndexes: Sendable {
    case all(count: Int)
    case some([Int])
  }

  /// Returns the same changes with other details, if they have details.
  func withDetails(_ change: (Details) -> Details) -> CommittedChanges {
    CommittedChanges(
      number: number, needsVersion: needsVersion, isUnknown: isUnknown, schemaChanges: schemaChanges, tables: tables,
      log: log, details: details.map(change), recordedVersion: recordedVersion)
  }

  /// Returns changes that can be retained after the notification. To be called during the notification, on its thread.
  ///
  /// If the subscriber calls `endReading` when it has read them, their memory may serve for another commit.
  func kept() -> CommittedChanges {
    if log.keep() { return self }
    let log = log.copy()
    log.beginReading()
    return CommittedChanges(
      number: number, needsVersion: needsVersion, isUnknown: isUnknown, schemaChanges: schemaChanges,
      tables: ShortList(tables.map { TableChanges($0, log: log) }), log: log, details: details,
      recordedVersion: recordedVersion)
  }

  /// Another reader begins to read kept changes, which an earlier one still reads.
  func beginReading() { log.beginReading() }

  /// A reader of kept changes does not read them any more.
  func endReading() { log.endReading() }
}

extension CommittedChanges.RowIndexes: RandomAccessCollection {
  var startIndex: Int { 0 }

  var endIndex: Int {
    switch self {
    case .all(let count): count
    case .some(let indexes): indexes.count
    }
  }

  subscript(position: Int) -> Int {
    switch self {
    case .all: position
    case .some(let indexes): indexes[position]
    }
  }
}

/// The captured rows of a transaction.
struct CapturedRows: Sendable, RandomAccessCollection {
  fileprivate let log: CapturedLog

  var startIndex: Int { 0 }
  var endIndex: Int { log.records.count }
  subscript(position: Int) -> RowChange { log.change(at: position) }
}

/// The storage of captured rows: flat arrays for all tables. Change capture modifies it before subscribers are
/// notified, and after they have released it: see `TableChanges`, also for the unchecked conformance.
final class CapturedLog: @unchecked Sendable {
  @exclusivity(unchecked) private var content: Content

  /// The number of subscribers that may read the log after the notification.
  private let readerCount = Atomic<Int>(0)

  private struct Content {
    var records: [ChangeRecord]
    var values: CapturedValues
    var layouts: [CaptureLayout]
  }

  var records: [ChangeRecord] { content.records }
  var values: CapturedValues { content.values }
  var layouts: [CaptureLayout] { content.layouts }
  var hasReaders: Bool { readerCount.load(ordering: .acquiring) > 0 }

  /// The approximate number of bytes in memory.
  var memory: Int {
    records.count * MemoryLayout<ChangeRecord>.stride + values.count * MemoryLayout<CapturedValues.Value>.stride
      + layouts.count * MemoryLayout<CaptureLayout>.stride + values.byteCount
  }

  init(records: [ChangeRecord] = [], values: CapturedValues = CapturedValues(), layouts: [CaptureLayout]) {
    content = Content(records: records, values: values, layouts: layouts)
  }

  static let empty = CapturedLog(layouts: [])

  /// Exchanges the rows for the rows of a log.
  func exchangeRows(with log: inout ChangeLog) {
    log.exchangeRows(&content.records, &content.values)
  }

  /// Calls a closure with the rows. Reading them one by one would change reference counts for each value.
  func withRows<Result>(
    _ body: (UnsafeBufferPointer<ChangeRecord>, CapturedValues.Content) throws -> Result
  ) rethrows -> Result {
    try content.records.withUnsafeBufferPointer { records in
      try content.values.withContent { try body(records, $0) }
    }
  }

  fileprivate func setLayouts(_ layouts: [CaptureLayout]) { content.layouts = layouts }

  // An empty log is never modified, and is shared by all changes without rows.

  fileprivate func beginReading() {
    if !records.isEmpty { readerCount.wrappingAdd(1, ordering: .relaxed) }
  }

  fileprivate func endReading() {
    if records.isEmpty { return }
    let count = readerCount.wrappingSubtract(1, ordering: .releasing).oldValue
    precondition(count > 0, "A reader of a log ended that had not begun")
  }

  /// A subscriber begins to read the log, which it retains.
  ///
  /// - Returns: Whether the log should be retained. It may be the memory of a large transaction, with few rows now.
  fileprivate func keep() -> Bool {
    guard records.isEmpty || records.capacity <= max(16, 2 * records.count) && values.isCompact else { return false }
    beginReading()
    return true
  }

  fileprivate func copy() -> CapturedLog {
    CapturedLog(records: records.map { $0 }, values: values.copy(), layouts: layouts.map { $0 })
  }

  func change(at index: Int) -> RowChange {
    let record = records[index]
    let layout = layouts[Int(record.table)]
    var change = RowChange(table: layout.key, kind: record.kind)
    var start = Int(record.valueStart)
    if record.kind != .insert {
      change.old = image(start, record.oldRowID, layout, record, unknown: nil)
      start += layout.storedColumns.count
    }
    if record.kind != .delete {
      change.new = image(start, record.newRowID, layout, record, unknown: record.unknownColumn)
    }
    if record.kind == .update { change.changedColumns = layout.changedColumns(record) }
    return change
  }

  private func image(
    _ start: Int, _ rowID: Int64, _ layout: CaptureLayout, _ record: ChangeRecord, unknown: UInt16?
  ) -> RowImage {
    var image = RowImage(rowID: layout.hasRowID ? rowID : nil)
    image.values.reserveCapacity(layout.storedColumns.count + 1)
    for (offset, column) in layout.storedColumns.enumerated() where unknown != UInt16(column) {
      let value = values[start + offset]
      if record.mayHaveRepaired(value) { continue }
      image.values[layout.columns[column].name] = value
    }
    if let name = layout.rowIDColumn { image.values[name] = DatabaseValue(.int64(rowID)) }
    return image
  }
}

/// The change of one row in the log.
struct ChangeRecord: Sendable {
  /// The table, as an index of its layout. Each statement that changes a table adds a layout.
  var table: UInt32 = 0

  var kind: RowChange.Kind

  /// Whether the change is delivered to observers, and whether the commit reports it.
  var isObserved = false
  var isCaptured = false

  /// Whether a text of its values is not UTF-8: Swift replaces such bytes when it reads the text.
  var hasRepairedText = false

  /// A column whose new value is unknown.
  var unknownColumn: UInt16?

  /// The position of its values: the old values, followed by the new ones.
  var valueStart: UInt32 = 0

  var oldRowID: Int64 = 0
  var newRowID: Int64 = 0

  /// The columns of the layout that an update changed, one bit each.
  var changedColumns: UInt64 = 0
}

extension ChangeRecord {
  /// Whether a value of the row may be a repaired text.
  func mayHaveRepaired(_ value: DatabaseValue) -> Bool {
    guard hasRepairedText, case .string(let text) = value.storage else { return false }
    return text.unicodeScalars.contains("\u{FFFD}")
  }
}
