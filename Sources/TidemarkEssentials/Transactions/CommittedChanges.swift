/// What a commit has changed, as far as somebody wanted to know.
struct CommittedChanges: Sendable {
  /// Greater than that of all commits before.
  var number: UInt64

  /// The version of the needs in force when its first change was captured: who asked later takes the whole commit as
  /// unknown.
  var needsVersion: Int

  /// Whether anything may have changed: the database was replaced by a copy, for instance.
  var isUnknown = false

  /// How the schema has changed. Who does not know better takes any of them as a change of everything.
  var schemaChanges: [SchemaChange] = []

  /// The tables that have changed.
  var tables = ShortList<TableChanges>()

  /// All rows that were captured, in the order in which they changed.
  var rows: CapturedRows { CapturedRows(log: log) }

  let log: CapturedLog

  /// The changes of one table. An object: it is handed around by whoever looks at it, with each commit.
  final class TableChanges: Sendable {
    let key: TableKey

    /// Kinds of changes.
    let inserts: Bool
    let deletes: Bool
    let updates: Bool

    /// Whether no more is known than kinds and columns: nobody wanted to know more, or there were too many rows.
    let isCoarse: Bool

    /// The columns that were updated, in lower case; nil when any may have been.
    let updatedColumns: Set<String>?

    /// Which of `CommittedChanges.rows` are in this table.
    let rowIndexes: RowIndexes

    /// The rows of the commit.
    let log: CapturedLog

    init(
      key: TableKey, kinds: Kinds, isCoarse: Bool = false, updatedColumns: Set<String>?, rowIndexes: RowIndexes,
      log: CapturedLog
    ) {
      self.key = key
      inserts = kinds.contains(.insert)
      deletes = kinds.contains(.delete)
      updates = kinds.contains(.update)
      self.isCoarse = isCoarse
      self.updatedColumns = updatedColumns
      self.rowIndexes = rowIndexes
      self.log = log
    }

    /// The same, of a copy of the rows.
    init(_ other: TableChanges, log: CapturedLog) {
      (key, inserts, deletes, updates) = (other.key, other.inserts, other.deletes, other.updates)
      (isCoarse, updatedColumns, rowIndexes) = (other.isCoarse, other.updatedColumns, other.rowIndexes)
      self.log = log
    }
  }

  /// Kinds of changes.
  struct Kinds {
    private var bits: UInt8 = 0

    mutating func insert(_ kind: RowChange.Kind) { bits |= 1 << kind.rawValue }
    func contains(_ kind: RowChange.Kind) -> Bool { bits & 1 << kind.rawValue != 0 }
    var isEmpty: Bool { bits == 0 }
  }

  /// Some of the rows of a commit. Most of the time they are all there are.
  enum RowIndexes: Sendable {
    case all(count: Int)
    case some([Int])
  }

  /// The same, in memory of its own: what was told shares that of the log that is being written.
  func kept() -> CommittedChanges {
    let log = log.copy()
    var changes = CommittedChanges(
      number: number, needsVersion: needsVersion, isUnknown: isUnknown, schemaChanges: schemaChanges, log: log)
    for table in tables { changes.tables.append(TableChanges(table, log: log)) }
    return changes
  }
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

/// The rows that were captured in a transaction.
struct CapturedRows: Sendable, RandomAccessCollection {
  fileprivate let log: CapturedLog

  var startIndex: Int { 0 }
  var endIndex: Int { log.records.count }
  subscript(position: Int) -> RowChange { log.change(at: position) }
}

/// The storage of captured rows: flat, whatever the table.
final class CapturedLog: Sendable {
  let records: [ChangeRecord]
  let values: [DatabaseValue]
  let layouts: [CaptureLayout]

  init(records: [ChangeRecord], values: [DatabaseValue], layouts: [CaptureLayout]) {
    self.records = records
    self.values = values
    self.layouts = layouts
  }

  static let empty = CapturedLog(records: [], values: [], layouts: [])

  func copy() -> CapturedLog {
    CapturedLog(records: records.map { $0 }, values: values.map { $0 }, layouts: layouts.map { $0 })
  }

  func change(at index: Int) -> RowChange {
    let record = records[index]
    let layout = layouts[Int(record.table)]
    var change = RowChange(table: layout.key, kind: record.kind)
    var start = Int(record.valueStart)
    if record.kind != .insert {
      change.old = image(start, record.oldRowID, layout, unknown: nil)
      start += layout.storedColumns.count
    }
    if record.kind != .delete {
      change.new = image(start, record.newRowID, layout, unknown: record.unknownColumn)
    }
    if record.kind == .update { change.changedColumns = layout.changedColumns(record) }
    return change
  }

  private func image(_ start: Int, _ rowID: Int64, _ layout: CaptureLayout, unknown: UInt16?) -> RowImage {
    var image = RowImage(rowID: layout.hasRowID ? rowID : nil)
    image.values.reserveCapacity(layout.storedColumns.count + 1)
    for (offset, column) in layout.storedColumns.enumerated() where unknown != UInt16(column) {
      image.values[layout.columns[column].name] = values[start + offset]
    }
    if let name = layout.rowIDColumn { image.values[name] = DatabaseValue(.int64(rowID)) }
    return image
  }
}

/// The change of one row, in the log.
struct ChangeRecord: Sendable {
  /// The layout of its values.
  var table: UInt16

  var kind: RowChange.Kind

  /// Whether observers are to be told, and whether somebody wants it in the commit.
  var isObserved = false
  var isCaptured = false

  /// A column whose new value is not known.
  var unknownColumn: UInt16?

  /// Where its values begin: the old ones, then the new ones.
  var valueStart: UInt32 = 0

  var oldRowID: Int64
  var newRowID: Int64

  /// The columns of the layout that an update changed, a bit for each.
  var changedColumns: UInt64 = 0
}
