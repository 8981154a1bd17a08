// The changes of a transaction so far. A pure value: it receives changes, and is cut back when changes are undone.
//
//      idle --begin--> open --commit, rollback--> idle
//                       |  ^
//   statement will step |  | did step: succeeded, kept (FAIL): its mark is dropped
//   savepoint opened    |  |           undone (ABORT): cut back to its mark
//                       v  |           unclear: its tables become coarse
//                  open, with marks    savepoint released: its mark is dropped; rolled back to: cut back to its mark
//
// Invariants:
// 1. Marks form a stack. A cut removes everything after the mark, of any statement, as SQLite does.
// 2. Each record in the log describes a change that has happened. If this is not certain, the table is reported without
//    rows.
// 3. The log is bounded. Past its bound, changes are coarse, or rows are moved to a file (`Storage`). Earlier records
//    stay, so that marks remain valid.
// 4. A change that was delivered to observers is not delivered again, and not taken back: see `deliverable`.

struct ChangeLog {
  /// A position to which the log can be cut back.
  struct Mark {
    let position: RowStore.Position
    let (coarse, schemaChanges, rowlessChanges): (Int, Int, Int)
  }

  /// A kind of change in a table that is reported without rows.
  struct Coarse {
    var key: TableKey
    var kind: RowChange.Kind

    /// The columns of an update, in lower case; nil for any column.
    var columns: Set<String>?
  }

  /// The limits of what is kept.
  struct Bound {
    /// The largest number of rows in memory, and of bytes of texts and blobs.
    var recordCount = 100_000
    var byteCount = 32_000_000

    /// The same for rows that are stored together, and for the rows in memory once others are stored.
    var segmentRecordCount = 10_000
    var segmentByteCount = 2_000_000

    /// The largest size of the file of a transaction.
    var fileByteCount = 4_000_000_000

    /// The VFS of the file; nil for SQLite's default.
    var vfs: String?

    /// The same bound without limits of the rows in memory.
    var withoutLimits: Bound {
      var bound = self
      (bound.recordCount, bound.byteCount, bound.segmentRecordCount, bound.segmentByteCount) = (.max, .max, .max, .max)
      return bound
    }
  }

  /// What may have changed without being reported.
  struct Unreported: OptionSet {
    let rawValue: UInt8

    /// Stored settings and statistics.
    static let settings = Unreported(rawValue: 1 << 0)

    /// Rows or the schema.
    static let content = Unreported(rawValue: 1 << 1)

    /// Everything: another database has taken the place of this one, or `VACUUM` has written it again.
    static let database = Unreported(rawValue: 1 << 2)

    /// Rows that could not be stored.
    static let rows = Unreported(rawValue: 1 << 3)
  }

  /// A change that is not a row, and has a place between the rows.
  struct RowlessChange: Sendable, Equatable {
    enum Content: Sendable, Equatable {
      /// A statement has changed the schema of the main database, or only of others.
      case schema(sql: String, isInMain: Bool)

      case notification(channel: String, payload: String)
    }

    /// The number of rows that were changed before.
    var rowCount: Int
    var content: Content
  }

  enum Outcome {
    case succeeded
    case kept
    case undone
    case unclear
  }

  var bound: Bound
  private(set) var isOpen = false
  private(set) var needsVersion = 0

  /// The tables that the records refer to, and their layouts. Each statement that changes a table may add it.
  var tables: [CapturedTable] = []
  var layouts: [CaptureLayout] = []
  var serial: UInt = 0

  /// The rows in memory.
  var records: [ChangeRecord] = []
  var values = CapturedValues()

  /// The position of the first row in memory, and the place of the earlier ones.
  var base = RowStore.Position()
  var storage = Storage.none
  private(set) var coarse: [Coarse] = []
  private(set) var schemaChanges: [SchemaChange] = []

  /// Statements that have changed the schema, and notifications, in their order.
  private(set) var rowlessChanges: [RowlessChange] = []

  /// What may have changed without being reported.
  var unreported: Unreported = []

  /// The databases whose `user_version` was set.
  private(set) var userVersionDatabases: Set<String> = []

  /// The tables whose counters may have changed, with or without inserted rows.
  private(set) var counterTables: [TableKey] = []

  /// Whether rows are not reported because there were too many.
  var isTruncated = false
  /// Whether the program begins and ends savepoints without the library, so that undone changes are unknown.
  private(set) var isUncertain = false
  /// A number that changes with each cut.
  var generation: UInt = 0

  /// Whether a commit should report rows of the log, or should have reported rows that were cut.
  private(set) var hasCaptured = false
  /// Whether a record is delivered to observers.
  private(set) var hasObserved = false

  private var savepoints: [(name: String, mark: Mark)] = []
  private(set) var steps: [(mark: Mark, hasNested: Bool)] = []
  var deliveredCount = 0
  var rowCounts = RowCounts()

  /// Former reports, whose memory serves for the next ones: one that no subscriber retains, and those that subscribers
  /// may still read, the oldest first.
  var returnedReport: CommittedChanges.TableChanges?
  var lentReports = Queue<CommittedChanges.TableChanges>()

  /// The recordings of parts of the transaction, the outermost first: see `ChangeLog+Recordings.swift`.
  var recordings: [Recording] = []

  init(bound: Bound = Bound()) { self.bound = bound }

  // MARK: Transactions

  mutating func begin(needsVersion: Int) {
    reset()
    isOpen = true
    serial &+= 1
    self.needsVersion = needsVersion
  }

  /// Discards the log: the transaction has ended.
  mutating func reset() {
    isOpen = false
    if !tables.isEmpty {
      tables.removeAllKeepingCapacity()
      layouts.removeAllKeepingCapacity()
    }
    removeRowsForReuse()
    if !coarse.isEmpty { coarse.removeAll() }
    if !schemaChanges.isEmpty { schemaChanges = [] }
    if !rowlessChanges.isEmpty { rowlessChanges = [] }
    if !userVersionDatabases.isEmpty { userVersionDatabases = [] }
    if !counterTables.isEmpty { counterTables = [] }
    if !savepoints.isEmpty { savepoints.removeAll() }
    (unreported, isTruncated, isUncertain, hasCaptured, deliveredCount) = ([], false, false, false, 0)
    rowCounts.reset(to: 0)
    hasObserved = false
    (base, storage) = (RowStore.Position(), .none)
    generation &+= 1
    for index in recordings.indices { recordings[index].hasLostItsTransaction = true }
  }

  /// Whether there is nothing to report to subscribers.
  var isEmpty: Bool {
    !isUnknown && coarse.isEmpty && schemaChanges.isEmpty && rowlessChanges.isEmpty && counterTables.isEmpty
      && (!hasCaptured || base.records == 0 && !records.contains { $0.isCaptured })
  }

  /// Whether anything may have changed.
  var isUnknown: Bool { !unreported.isEmpty }

  mutating func becomeUnknown(_ unreported: Unreported = .content) { self.unreported.formUnion(unreported) }

  mutating func becomeUncertain() { isUncertain = true }

  // MARK: Statements

  var isInStep: Bool { !steps.isEmpty }

  mutating func willStep() {
    if !steps.isEmpty { steps[steps.count - 1].hasNested = true }
    steps.append((mark, false))
  }

  /// Assigns the changes so far to earlier statements: they stay if the current statement fails.
  mutating func passStepMark() {
    if !steps.isEmpty { steps[steps.count - 1].mark = mark }
  }

  /// Whether the current statement has changed something in the log.
  var hasStepChanged: Bool {
    guard let mark = steps.last?.mark else { return false }
    return mark.position.records < base.records + records.count || mark.coarse < coarse.count
  }

  /// The rows in memory that the current statement has changed.
  var stepRecords: ArraySlice<ChangeRecord> { records[(steps.last.map { index(of: $0.mark) } ?? 0)...] }

  /// The index of the first record in memory after a mark.
  private func index(of mark: Mark) -> Int { min(max(mark.position.records - base.records, 0), records.count) }

  /// Removes what the current statement has changed so far.
  mutating func dropStepChanges() {
    guard let (mark, hasNested) = steps.last, !hasNested, !isUncertain else { return becomeUnknown() }
    cut(to: mark)
  }

  mutating func didStep(_ outcome: Outcome) {
    guard let (mark, hasNested) = steps.popLast() else { preconditionFailure("A step ended that had not begun") }
    switch outcome {
    case .succeeded, .kept: break
    case .undone where !hasNested && !isUncertain: cut(to: mark)
    case .undone, .unclear:
      // A function may have run statements inside this one, and some of their changes may have stayed.
      let touched = Set(records[index(of: mark)...].map { tables[Int($0.table)].key })
      for key in touched.union(storedTables(from: mark.position.records)) { addCoarse(key) }
    }
  }

  /// The rows to deliver to observers now: none while a statement or a savepoint may undo them.
  var deliverable: Range<Int> {
    steps.isEmpty && savepoints.isEmpty ? undelivered : deliveredCount..<deliveredCount
  }

  /// The rows that were not delivered to observers yet.
  var undelivered: Range<Int> { deliveredCount..<records.count }

  mutating func didDeliver(_ range: Range<Int>) {
    deliveredCount = range.upperBound
    // Rows that no commit has to report are removed, unless a recording begins after them.
    if !hasCaptured, steps.isEmpty, savepoints.isEmpty, recordings.isEmpty, deliveredCount == records.count {
      removeRowsForReuse()
      rowCounts.reset(to: 0)
      for index in rowlessChanges.indices { rowlessChanges[index].rowCount = 0 }
      deliveredCount = 0
    }
  }

  // MARK: Savepoints

  var hasSavepoints: Bool { !savepoints.isEmpty }

  /// Whether the end of the savepoint ends all savepoints.
  func isOutermost(_ name: String) -> Bool { index(of: name) == 0 }

  mutating func openSavepoint(_ name: String) { savepoints.append((name.asciiLowercased, mark)) }

  mutating func releaseSavepoint(_ name: String) {
    guard let index = index(of: name) else { return }
    savepoints.removeSubrange(index...)
  }

  mutating func rollBackToSavepoint(_ name: String) {
    guard let index = index(of: name) else { return }
    if !isUncertain { cut(to: savepoints[index].mark) }
    savepoints.removeSubrange((index + 1)...)
  }

  // The innermost savepoint of the name.
  private func index(of name: String) -> Int? { savepoints.lastIndex { $0.name == name.asciiLowercased } }

  // MARK: Changes

  /// The index of a table, which is added if needed.
  mutating func index(of table: CapturedTable) -> UInt32 {
    if table.state.log.serial != serial {
      table.state.log = (UInt32(tables.count), serial)
      tables.append(table)
      layouts.append(table.layout ?? CaptureLayout(key: table.key))
    }
    return table.state.log.index
  }

  mutating func add(_ record: ChangeRecord) {
    if record.isCaptured { hasCaptured = true }
    if record.isObserved { hasObserved = true }
    records.append(record)
  }

  /// Exchanges the rows. Published changes take their memory along, and may return it.
  mutating func exchangeRows(_ records: inout [ChangeRecord], _ values: inout CapturedValues) {
    swap(&self.records, &records)
    swap(&self.values, &values)
  }

  /// Removes values that belong to no row.
  mutating func dropValues(after end: RowStore.Position) {
    values.cut(to: end.values - base.values, byteCount: end.bytes - base.bytes)
  }

  /// Adds a kind of change in a table.
  ///
  /// - Returns: False if the log already contained it.
  @discardableResult
  mutating func addCoarse(_ key: TableKey, _ kind: RowChange.Kind, _ columns: Set<String>? = nil) -> Bool {
    // A recording contains all changes since its beginning.
    let isKnown = coarse[(recordings.last?.start.coarse ?? 0)...].contains { entry in
      guard entry.key == key, entry.kind == kind else { return false }
      guard kind == .update, let known = entry.columns else { return true }
      return columns.map(known.isSuperset) ?? false
    }
    if !isKnown { coarse.append(Coarse(key: key, kind: kind, columns: columns)) }
    return !isKnown
  }

  /// Adds all kinds of changes in a table.
  mutating func addCoarse(_ key: TableKey) {
    addCoarse(key, .insert)
    addCoarse(key, .delete)
    addCoarse(key, .update)
  }

  mutating func add(_ changes: [SchemaChange], by sql: String) {
    schemaChanges += changes
    // The content of a database is not described by the statement that attaches it.
    if changes.contains(where: { $0.subject == .database }) { return }
    if changes.contains(where: { $0.subject == .table && CaptureNeeds.isTableOfLibrary($0.name) }) { return }
    let isInMain = changes.contains { $0.database.asciiLowercased == "main" }
    add(.schema(sql: sql, isInMain: isInMain))
  }

  mutating func add(_ content: RowlessChange.Content) {
    rowlessChanges.append(RowlessChange(rowCount: base.records + records.count, content: content))
  }

  mutating func noteUserVersion(of database: String) {
    userVersionDatabases.insert(database)
    becomeUnknown(.settings)
  }

  mutating func noteCounter(of table: TableKey) {
    if !counterTables.contains(table) { counterTables.append(table) }
  }

  /// Reports that a row is left out because there are too many.
  mutating func truncate() { isTruncated = true }

  // MARK: Marks

  var mark: Mark {
    Mark(
      position: end, coarse: coarse.count, schemaChanges: schemaChanges.count, rowlessChanges: rowlessChanges.count)
  }

  private mutating func cut(to mark: Mark) {
    if mark.position.records < base.records { restoreRows(from: mark.position) }
    // A savepoint may have removed more, inside the statement to which the mark belongs.
    records.removeSubrange(index(of: mark)...)
    values.cut(to: mark.position.values - base.values, byteCount: mark.position.bytes - base.bytes)
    coarse.removeSubrange(min(mark.coarse, coarse.count)...)
    schemaChanges.removeSubrange(min(mark.schemaChanges, schemaChanges.count)...)
    rowlessChanges.removeSubrange(min(mark.rowlessChanges, rowlessChanges.count)...)
    deliveredCount = min(deliveredCount, records.count)
    rowCounts.reset(to: records.count)
    generation &+= 1
    for index in recordings.indices { recordings[index].logWasCut(to: mark) }
  }
}
