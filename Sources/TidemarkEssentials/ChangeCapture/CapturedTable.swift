/// A table that a statement writes, with the needs for its changes.
final class CapturedTable {
  let key: TableKey
  private let database: [CChar]
  private let table: [CChar]

  @exclusivity(unchecked) var state = State()

  struct State {
    // MARK: Needs

    /// The columns that subscribers need; nil if they need nothing.
    var layout: CaptureLayout? {
      get { layouts.first }
      set { layouts = newValue.map { [$0] } ?? [] }
    }

    /// The columns of the layout that an update by the statement leaves as they are, one bit each.
    fileprivate(set) var unchangedColumns: UInt64 = 0

    /// The layout as a list, which all commits of the table share (Benchmarks: `streams one`).
    private(set) var layouts: [CaptureLayout] = []

    /// The needed virtual tables that may store their content in this table.
    var virtualTables: [TableKey] = []

    /// Whether it is a virtual table that subscribers need.
    var isNeededVirtualTable = false

    var observers = Observers()

    /// Whether changes of the table are needed. Set last.
    fileprivate(set) var isNeeded = false

    // MARK: The current transaction

    /// The index of the table in the log, in the transaction with this number.
    var log: (index: UInt32, serial: UInt) = (0, 0)

    /// The kinds of changes that are already coarse in the log, until the log is cut.
    var coarse: (kinds: UInt8, columns: UInt64, generation: UInt) = (0, 0, 0)

    /// The table has as many rows as its layout allows, until the log is cut.
    var fullGeneration: UInt?

    // MARK: The published commit

    /// The index of the table in the commit, and the columns of its layout that the commit changes.
    var reportIndex = 0
    var changedColumns: UInt64 = 0

    /// The names of the last updated columns: most statements update the same columns each time.
    fileprivate var lastNames: (columns: UInt64, names: Set<String>?)?
  }

  /// The transaction observers of a statement, by kind of event.
  struct Observers {
    var ofInserts: [TransactionObservation] = []
    var ofDeletes: [TransactionObservation] = []
    var ofUpdates: [TransactionObservation] = []

    /// Whether all observers were asked about deletes.
    var haveBeenAskedAboutDeletes = false

    var isEmpty: Bool { ofInserts.isEmpty && ofDeletes.isEmpty && ofUpdates.isEmpty }

    subscript(kind: RowChange.Kind) -> [TransactionObservation] {
      switch kind {
      case .insert: ofInserts
      case .delete: ofDeletes
      case .update: ofUpdates
      }
    }

    mutating func add(_ observation: TransactionObservation, _ kind: RowChange.Kind) {
      if self[kind].contains(where: { $0 === observation }) { return }
      switch kind {
      case .insert: ofInserts.append(observation)
      case .delete: ofDeletes.append(observation)
      case .update: ofUpdates.append(observation)
      }
    }
  }

  init(_ key: TableKey, layout: CaptureLayout? = nil) {
    self.key = key
    database = Array(key.database.utf8CString)
    table = Array(key.name.utf8CString)
    state.layout = layout
  }

  var layout: CaptureLayout? { state.layout }

  /// Whether subscribers or observers need changes of the table.
  var isNeeded: Bool { state.isNeeded }

  func determineNeed() { state.isNeeded = !areNeedsOfLayoutOnly || layout != nil }

  /// - Parameter names: The columns that the statement, its triggers and foreign keys may update. Generated columns
  ///   change with others.
  func determineUnchangedColumns(updated names: Set<String>) {
    guard let layout, !layout.hasComputedColumns, layout.columns.count <= 64 else { return }
    let updated = Set(names.map(\.asciiLowercased))
    for (index, column) in layout.columns.enumerated() where !updated.contains(column.name) {
      state.unchangedColumns |= 1 << UInt64(index)
    }
  }

  /// Whether nothing but the layout needs changes of the table.
  var areNeedsOfLayoutOnly: Bool {
    state.observers.isEmpty && state.virtualTables.isEmpty && !state.isNeededVirtualTable
  }

  /// Whether a change belongs to this table. SQLite reports names as they were created.
  func matches(_ signal: RowChangeSignal) -> Bool {
    isSame(table, signal.table) && isSame(database, signal.database)
  }

  private func isSame(_ name: [CChar], _ other: UnsafePointer<CChar>) -> Bool {
    var index = 0
    while true {
      let byte = name[index]
      if byte != other[index] { return false }
      if byte == 0 { return true }
      index += 1
    }
  }

  /// The names of `changedColumns`; nil for any column.
  var namesOfChangedColumns: Set<String>? {
    if let last = state.lastNames, last.columns == state.changedColumns { return last.names }
    let record = ChangeRecord(kind: .update, changedColumns: state.changedColumns)
    let names = layout?.changedColumns(record)
    state.lastNames = (state.changedColumns, names)
    return names
  }
}

/// The tables to capture while a statement runs.
final class CapturePlan {
  let tables: [CapturedTable]

  /// The plan is valid in this epoch of the needs.
  let epoch: UInt

  /// Whether the statement was found to make updates that may have to be reported. It does not use the capture bypass
  /// then, as long as the plan is valid.
  var isAlwaysReported = false

  init(tables: [CapturedTable], epoch: UInt) {
    self.tables = tables
    self.epoch = epoch
  }

  /// Whether changes of one of the tables are needed.
  var isNeeded: Bool { tables.contains { $0.isNeeded } }
}
