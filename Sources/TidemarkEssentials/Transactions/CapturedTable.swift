/// A table that a statement writes, and who wants to know.
final class CapturedTable {
  let key: TableKey
  private let database: [CChar]
  private let table: [CChar]

  /// Observers of this statement, by what it does.
  @exclusivity(unchecked) var insertObservers: [TransactionObservation] = []
  @exclusivity(unchecked) var deleteObservers: [TransactionObservation] = []
  @exclusivity(unchecked) var updateObservers: [TransactionObservation] = []

  /// Whether observers were asked about deletes.
  @exclusivity(unchecked) var hasAskedDeleteObservers = false

  /// What is captured for the commit; nil for nothing.
  var layout: CaptureLayout? { didSet { (lastNames, lastReported) = (nil, nil) } }

  /// What was told last of the rows of the table, where nobody has it any more: its memory serves for the next commit.
  @exclusivity(unchecked) var lastReported: CommittedChanges.TableChanges?

  /// Virtual tables that somebody wants to know of, which may keep their content here.
  @exclusivity(unchecked) var virtualTables: [TableKey] = []

  /// Whether it is a virtual table that somebody wants to know of.
  @exclusivity(unchecked) var isWantedVirtualTable = false

  /// Its place among the tables of the log, in the transaction of that number.
  @exclusivity(unchecked) var logIndex: UInt32 = 0
  @exclusivity(unchecked) var logSerial: UInt = 0

  /// Kinds of changes that are coarse in the log already, as long as the log is not cut.
  @exclusivity(unchecked) var coarseKinds: UInt8 = 0
  @exclusivity(unchecked) var coarseColumns: UInt64 = 0
  @exclusivity(unchecked) var coarseGeneration: UInt = 0

  /// Its place among the tables of the commit that is told, and the columns of its layout that have changed in it.
  @exclusivity(unchecked) var reportIndex = 0
  @exclusivity(unchecked) var changedColumns: UInt64 = 0

  /// The names of columns that were updated last: most statements update the same ones each time.
  @exclusivity(unchecked) private var lastNames: (columns: UInt64, names: Set<String>?)?

  init(_ key: TableKey) {
    self.key = key
    database = Array(key.database.utf8CString)
    table = Array(key.name.utf8CString)
  }

  /// Whether nobody wants to know. Set once the rest is.
  @exclusivity(unchecked) private(set) var isUnobserved = true

  func updateIsUnobserved() {
    isUnobserved = layout == nil && virtualTables.isEmpty && !isWantedVirtualTable && hasNoObservers
  }

  var hasNoObservers: Bool { insertObservers.isEmpty && deleteObservers.isEmpty && updateObservers.isEmpty }

  /// Whether a change is one of this table. SQLite gives the names as they were created.
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

  /// The names of `changedColumns`; nil when it may be any.
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

/// What is to be watched while a statement runs.
final class CapturePlan {
  let tables: [CapturedTable]

  /// It holds as long as this does.
  let epoch: UInt

  /// Whether it was found out that the statement makes updates that may be told: as long as the plan holds, the
  /// statement is not quiet.
  @exclusivity(unchecked) var isAlwaysReported = false

  init(tables: [CapturedTable], epoch: UInt) {
    self.tables = tables
    self.epoch = epoch
  }

  /// Whether nobody wants to know of any of the tables.
  var isUnobserved: Bool { tables.allSatisfy { $0.isUnobserved } }
}
