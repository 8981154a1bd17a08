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
  ///
  /// Invariant: who is told of it finds it unchanged as long as he has it. Most have it as long as the call lasts that
  /// tells of it: it serves for the next commit then (`isUnshared`).
  final class TableChanges: @unchecked Sendable {
    let key: TableKey

    /// Kinds of changes.
    @exclusivity(unchecked) private(set) var inserts = false
    @exclusivity(unchecked) private(set) var deletes = false
    @exclusivity(unchecked) private(set) var updates = false

    /// Whether no more is known than kinds and columns: nobody wanted to know more, or there were too many rows.
    let isCoarse: Bool

    /// The columns that were updated, in lower case; nil when any may have been.
    @exclusivity(unchecked) private(set) var updatedColumns: Set<String>? = []

    /// Which of `CommittedChanges.rows` are in this table.
    @exclusivity(unchecked) private(set) var rowIndexes = RowIndexes.all(count: 0)

    /// The rows of the commit.
    @exclusivity(unchecked) private(set) var log: CapturedLog

    init(key: TableKey, isCoarse: Bool = false, log: CapturedLog) {
      self.key = key
      self.isCoarse = isCoarse
      self.log = log
    }

    /// Says what has changed. Nobody has been told of it yet.
    func set(_ kinds: Kinds, updatedColumns: Set<String>?, _ rowIndexes: RowIndexes) {
      inserts = kinds.contains(.insert)
      deletes = kinds.contains(.delete)
      updates = kinds.contains(.update)
      self.updatedColumns = updatedColumns
      self.rowIndexes = rowIndexes
    }

    /// Whether nobody has it any more who was told of it, nor its rows.
    ///
    /// The counts of references would tell. Who has kept it has said so, besides: sanitizers of threads know nothing
    /// of the order in which a count changes.
    static func isUnshared(_ changes: inout TableChanges?) -> Bool {
      isKnownUniquelyReferenced(&changes) && changes?.isLogUnshared == true
    }

    private var isLogUnshared: Bool { !log.isKept && isKnownUniquelyReferenced(&log) }

    /// The same, of a copy of the rows.
    init(_ other: TableChanges, log: CapturedLog) {
      (key, isCoarse, self.log) = (other.key, other.isCoarse, log)
      (inserts, deletes, updates) = (other.inserts, other.deletes, other.updates)
      (updatedColumns, rowIndexes) = (other.updatedColumns, other.rowIndexes)
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

  /// The same, for who keeps it when the call has returned that tells of it, on the thread of that call.
  func kept() -> CommittedChanges {
    if log.keep() { return self }
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

/// The storage of captured rows: flat, whatever the table. It is changed by who captures, before others are told of it,
/// and once they have it no more: see `TableChanges`.
final class CapturedLog: @unchecked Sendable {
  @exclusivity(unchecked) private(set) var records: [ChangeRecord]
  @exclusivity(unchecked) private(set) var values: [DatabaseValue]
  let layouts: [CaptureLayout]

  /// Whether somebody has it longer than the call lasts that tells of it.
  @exclusivity(unchecked) private(set) var isKept = false

  init(records: [ChangeRecord] = [], values: [DatabaseValue] = [], layouts: [CaptureLayout]) {
    self.records = records
    self.values = values
    self.layouts = layouts
  }

  static let empty = CapturedLog(records: [], values: [], layouts: [])

  /// Exchanges the rows with those of a log.
  func exchangeRows(with log: inout ChangeLog) { log.exchangeRows(&records, &values) }

  /// Somebody wants to have it for longer.
  ///
  /// - returns: Whether it is worth it: it may be the memory of a large transaction, with little in it now.
  fileprivate func keep() -> Bool {
    // There is nothing in it that could be changed; and all who have no rows have the same one.
    if records.isEmpty { return true }
    guard records.capacity <= max(16, 2 * records.count), values.capacity <= max(64, 2 * values.count) else {
      return false
    }
    isKept = true
    return true
  }

  fileprivate func copy() -> CapturedLog {
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
  /// The layout of its values. Each statement that changes a table brings one: a transaction may have very many.
  var table: UInt32

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
