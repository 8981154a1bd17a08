/// A table that a statement writes, with its subscribers and observers.
final class CapturedTable {
  let key: TableKey
  private let database: [CChar]
  private let table: [CChar]

  /// The observers of this statement, by kind of event.
  @exclusivity(unchecked) var insertObservers: [TransactionObservation] = []
  @exclusivity(unchecked) var deleteObservers: [TransactionObservation] = []
  @exclusivity(unchecked) var updateObservers: [TransactionObservation] = []

  /// Whether observers were asked about deletes.
  @exclusivity(unchecked) var hasCheckedDeleteObservers = false

  /// The captured columns; nil if nothing is captured.
  var layout: CaptureLayout? { didSet { (lastNames, lastReported) = (nil, nil) } }

  /// The last published changes of the table. Once no subscriber retains them, the next commit reuses their memory.
  @exclusivity(unchecked) var lastReported: CommittedChanges.TableChanges?

  /// The observed virtual tables that may store their content in this table.
  @exclusivity(unchecked) var virtualTables: [TableKey] = []

  /// Whether it is an observed virtual table.
  @exclusivity(unchecked) var isWantedVirtualTable = false

  /// The index of the table in the log, in the transaction with this number.
  @exclusivity(unchecked) var logIndex: UInt32 = 0
  @exclusivity(unchecked) var logSerial: UInt = 0

  /// The kinds of changes that are already coarse in the log, until the log is cut.
  @exclusivity(unchecked) var coarseKinds: UInt8 = 0
  @exclusivity(unchecked) var coarseColumns: UInt64 = 0
  @exclusivity(unchecked) var coarseGeneration: UInt = 0

  /// The index of the table in the published commit, and the columns of its layout that the commit changes.
  @exclusivity(unchecked) var reportIndex = 0
  @exclusivity(unchecked) var changedColumns: UInt64 = 0

  /// The names of the last updated columns: most statements update the same columns each time.
  @exclusivity(unchecked) private var lastNames: (columns: UInt64, names: Set<String>?)?

  init(_ key: TableKey) {
    self.key = key
    database = Array(key.database.utf8CString)
    table = Array(key.name.utf8CString)
  }

  /// Whether the table has no subscribers and no observers. Set last.
  @exclusivity(unchecked) private(set) var isUnobserved = true

  func updateIsUnobserved() {
    isUnobserved = layout == nil && virtualTables.isEmpty && !isWantedVirtualTable && hasNoObservers
  }

  var hasNoObservers: Bool { insertObservers.isEmpty && deleteObservers.isEmpty && updateObservers.isEmpty }

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
    if let lastNames, lastNames.columns == changedColumns { return lastNames.names }
    let record = ChangeRecord(table: 0, kind: .update, oldRowID: 0, newRowID: 0, changedColumns: changedColumns)
    let names = layout?.changedColumns(record)
    lastNames = (changedColumns, names)
    return names
  }

  func observers(of kind: RowChange.Kind) -> [TransactionObservation] {
    switch kind {
    case .insert: insertObservers
    case .delete: deleteObservers
    case .update: updateObservers
    }
  }
}

/// The tables to capture while a statement runs.
final class CapturePlan {
  let tables: [CapturedTable]

  /// The plan is valid in this epoch.
  let epoch: UInt

  /// Whether the statement was found to make updates that may have to be reported. It does not use the capture bypass
  /// then, as long as the plan is valid.
  @exclusivity(unchecked) var isAlwaysReported = false

  init(tables: [CapturedTable], epoch: UInt) {
    self.tables = tables
    self.epoch = epoch
  }

  /// Whether none of the tables has subscribers or observers.
  var isUnobserved: Bool { tables.allSatisfy { $0.isUnobserved } }
}
