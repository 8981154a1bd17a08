// What a transaction has changed so far. A pure value: it is told what happens, and cut back when something is undone.
//
//      idle --begin--> open --commit, rollback--> idle
//                       |  ^
//   statement will step |  | did step: succeeded, kept (FAIL): its mark is dropped
//   savepoint opened    |  |           undone (ABORT): cut back to its mark
//                       v  |           unclear: what it touched becomes coarse
//                  open, with marks    savepoint released: its mark is dropped; rolled back to: cut back to its mark
//
// Invariants:
// 1. Marks are a stack. What is cut is all that came after the mark, of whatever statement: SQLite undoes it so.
// 2. What is in the log has happened. When that is not certain, no row is told, but its table is.
// 3. The log is bounded: past its bound, what follows is coarse. What came before stays as it is, so that marks do.
// 4. What was delivered to observers is not delivered again, nor is it taken back: see `deliverable`.

struct ChangeLog {
  /// The place up to which the log is cut back.
  private struct Mark {
    var records = 0
    var values = 0
    var bytes = 0
    var coarse = 0
    var schemaChanges = 0
  }

  /// Kinds of changes in a table of which no row is told.
  struct Coarse {
    var key: TableKey
    var kind: RowChange.Kind

    /// The columns of an update, in lower case; nil when it may be any.
    var columns: Set<String>?
  }

  /// How many rows are kept, and how many bytes of texts and blobs.
  struct Bound {
    var recordCount = 100_000
    var byteCount = 32_000_000
  }

  enum Outcome {
    case succeeded
    case kept
    case undone
    case unclear
  }

  let bound: Bound
  private(set) var isOpen = false
  private(set) var needsVersion = 0
  private(set) var records: [ChangeRecord] = []
  private(set) var values: [DatabaseValue] = []
  private(set) var coarse: [Coarse] = []
  private(set) var schemaChanges: [SchemaChange] = []

  /// Whether anything may have changed.
  private(set) var isUnknown = false

  /// Whether somebody begins and ends savepoints without telling: what was undone is not known then.
  private(set) var isUncertain = false

  /// Another number whenever something was cut.
  private(set) var generation: UInt = 0

  /// Whether somebody wants rows of the log in the commit, or wanted some that were cut.
  private(set) var hasCaptured = false

  private var byteCount = 0
  private var savepoints: [(name: String, mark: Mark)] = []
  private var steps: [(mark: Mark, hasNested: Bool)] = []
  private var deliveredCount = 0

  init(bound: Bound = Bound()) { self.bound = bound }

  // MARK: Transactions

  mutating func begin(needsVersion: Int) {
    // The end of the transaction before has left it so, most of the time.
    if !isReset { reset() }
    isOpen = true
    self.needsVersion = needsVersion
  }

  /// Forgets all: the transaction has ended.
  mutating func reset() {
    isOpen = false
    // Most transactions are small: their memory is used again.
    if records.capacity <= 1024, values.capacity <= 8192 {
      records.removeAllKeepingCapacity()
      values.removeAllKeepingCapacity()
    } else {
      (records, values) = ([], [])
    }
    if !coarse.isEmpty { coarse.removeAll() }
    if !schemaChanges.isEmpty { schemaChanges.removeAll() }
    if !savepoints.isEmpty { savepoints.removeAll() }
    (isUnknown, isUncertain, hasCaptured, byteCount, deliveredCount) = (false, false, false, 0, 0)
    generation &+= 1
  }

  private var isReset: Bool {
    !isOpen && !isUnknown && !isUncertain && !hasCaptured && byteCount == 0 && deliveredCount == 0 && records.isEmpty
      && values.isEmpty && coarse.isEmpty && schemaChanges.isEmpty && savepoints.isEmpty
  }

  /// Whether somebody who wants to know has something to be told.
  var isEmpty: Bool {
    !isUnknown && coarse.isEmpty && schemaChanges.isEmpty && (!hasCaptured || !records.contains { $0.isCaptured })
  }

  mutating func becomeUnknown() { isUnknown = true }

  mutating func becomeUncertain() { isUncertain = true }

  // MARK: Statements

  var isInStep: Bool { !steps.isEmpty }

  mutating func willStep() {
    if !steps.isEmpty { steps[steps.count - 1].hasNested = true }
    steps.append((mark, false))
  }

  /// What is in the log belongs to what came before the statement, and stays when it fails.
  mutating func passStepMark() {
    if !steps.isEmpty { steps[steps.count - 1].mark = mark }
  }

  /// Whether a statement has changed something that is in the log.
  var hasStepChanged: Bool {
    guard let mark = steps.last?.mark else { return false }
    return mark.records < records.count || mark.coarse < coarse.count
  }

  /// The rows that the statement has changed.
  var stepRecords: ArraySlice<ChangeRecord> { records[min(steps.last?.mark.records ?? 0, records.count)...] }

  /// - parameter tables: The tables of records.
  mutating func didStep(_ outcome: Outcome, tables: (ChangeRecord) -> TableKey) {
    guard let (mark, hasNested) = steps.popLast() else { preconditionFailure("A step ended that did not begin") }
    switch outcome {
    case .succeeded, .kept: break
    case .undone where !hasNested && !isUncertain: cut(to: mark)
    case .undone, .unclear:
      // Of what a function did inside of the statement, some may have stayed.
      let touched = Set(records[min(mark.records, records.count)...].map { tables($0) })
      for key in touched { addCoarse(key) }
    }
  }

  /// The rows that observers are to be told now: none as long as a statement or a savepoint may take them back.
  var deliverable: Range<Int> {
    steps.isEmpty && savepoints.isEmpty ? undelivered : deliveredCount..<deliveredCount
  }

  /// The rows that observers were not told yet.
  var undelivered: Range<Int> { deliveredCount..<records.count }

  mutating func didDeliver(_ range: Range<Int>) {
    deliveredCount = range.upperBound
    // What nobody wants in the commit is forgotten.
    if !hasCaptured, steps.isEmpty, savepoints.isEmpty, deliveredCount == records.count {
      records.removeAll(keepingCapacity: records.capacity <= 1024)
      deliveredCount = 0
    }
  }

  // MARK: Savepoints

  var hasSavepoints: Bool { !savepoints.isEmpty }

  /// Whether the end of that savepoint ends them all.
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

  // The innermost one of that name.
  private func index(of name: String) -> Int? { savepoints.lastIndex { $0.name == name.asciiLowercased } }

  // MARK: Changes

  /// Whether there is room for rows, in a table of which no more than some number is wanted.
  func hasRoom(_ rowCountMax: Int) -> Bool {
    records.count < min(bound.recordCount, rowCountMax) && byteCount < bound.byteCount
  }

  /// Where the values of the next row begin.
  var valueCount: Int { values.count }

  mutating func add(_ record: ChangeRecord) {
    if record.isCaptured { hasCaptured = true }
    records.append(record)
  }

  mutating func add(_ value: DatabaseValue) {
    byteCount += Self.byteCount(of: value)
    values.append(value)
  }

  /// Makes room for values that are put there one by one.
  ///
  /// - returns: The place of the first one.
  mutating func makeRoom(_ count: Int) -> Int {
    let start = values.count
    for _ in 0..<count { values.append(.null) }
    return start
  }

  /// Puts a value where room was made for it.
  mutating func put(_ value: DatabaseValue, at offset: Int) {
    byteCount += Self.byteCount(of: value)
    values[offset] = value
  }

  /// Exchanges the rows for others: what is told takes their memory along, and may bring it back.
  mutating func exchangeRows(_ records: inout [ChangeRecord], _ values: inout [DatabaseValue]) {
    swap(&self.records, &records)
    swap(&self.values, &values)
  }

  /// Takes back values that belong to no row.
  mutating func dropValues(from count: Int) {
    for value in values[count...] { byteCount -= Self.byteCount(of: value) }
    values.removeSubrange(count...)
  }

  private static func byteCount(of value: DatabaseValue) -> Int {
    switch value.storage {
    case .string(let text): text.utf8.count
    case .blob(let data): data.count
    case .null, .int64, .double: 0
    }
  }

  /// Takes note of a kind of change in a table.
  ///
  /// - returns: Whether it was not known yet.
  @discardableResult
  mutating func addCoarse(_ key: TableKey, _ kind: RowChange.Kind, _ columns: Set<String>? = nil) -> Bool {
    let isKnown = coarse.contains { entry in
      guard entry.key == key, entry.kind == kind else { return false }
      guard kind == .update, let known = entry.columns else { return true }
      return columns.map(known.isSuperset) ?? false
    }
    if !isKnown { coarse.append(Coarse(key: key, kind: kind, columns: columns)) }
    return !isKnown
  }

  /// Takes note that anything may have happened in a table.
  mutating func addCoarse(_ key: TableKey) {
    addCoarse(key, .insert)
    addCoarse(key, .delete)
    addCoarse(key, .update)
  }

  mutating func add(_ change: SchemaChange) { schemaChanges.append(change) }

  // MARK: Marks

  private var mark: Mark {
    Mark(
      records: records.count, values: values.count, bytes: byteCount, coarse: coarse.count,
      schemaChanges: schemaChanges.count)
  }

  private mutating func cut(to mark: Mark) {
    // Some of it may have been delivered and forgotten since.
    records.removeSubrange(min(mark.records, records.count)...)
    values.removeSubrange(min(mark.values, values.count)...)
    coarse.removeSubrange(min(mark.coarse, coarse.count)...)
    schemaChanges.removeSubrange(min(mark.schemaChanges, schemaChanges.count)...)
    byteCount = mark.bytes
    deliveredCount = min(deliveredCount, records.count)
    generation &+= 1
  }
}
