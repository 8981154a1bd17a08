// Applying a changeset.
//
//     rows up to the next schema change ──► net ──► deletions ──► updates ──► waiting updates ──► insertions
//     schema change ──► execute
//     end ──► counters, user_version ──► foreign keys
//
// An update whose unique value belongs to another row *waits*: its row is removed, and inserted again with its new
// values when all deletions and updates of the same segment have been executed. So rows can exchange unique values. If
// the value belongs to a row outside of the changeset, the conflict is found then; if the change is skipped, the row is
// inserted with its old values.
//
// An update may give a row the key that another updated row has had. So the rows of all updates in a sequence are
// looked up before the first of them: a row that is missing then is missing, whatever has its key later. If the program
// wants it nevertheless, it is inserted after the waiting rows.
//
// A row that cannot have the row ID of the changeset, because another row has it, gets another one after the last
// insertion: it must not take the row ID of a row that follows.
//
// Invariants:
// 1. Each change is executed, or its conflict is resolved by the program.
// 2. At the end, no row waits.
// 3. Constraints are resolved by the changeset: each statement says `OR ABORT` or `OR REPLACE`, because a table may
//    declare `ON CONFLICT IGNORE`.

struct ChangesetApplication {
  typealias Resolve = (ChangesetConflict) throws -> ChangesetConflict.Resolution

  private let db: Database
  private let triggers: ChangesetTriggers
  private let checksForeignKeys: Bool
  /// Whether the database becomes exactly as the one in which the changes were recorded.
  private let isExact: Bool
  private let resolve: Resolve
  private var targets: [ChangedTable: TargetTable] = [:]
  private var lastTarget: (table: ChangedTable, target: TargetTable)?
  private var waiting: [WaitingUpdate] = []

  /// Rows that are inserted after the waiting ones: of updates whose rows were missing.
  private var missing: [Insertion] = []

  /// Rows that are inserted last, with other row IDs.
  private var displaced: [Insertion] = []
  private var foreignKeyCheck: ForeignKeyCheck

  /// The changes that were left out.
  private(set) var skipped: [ChangedRow] = []

  /// An update whose row has been removed.
  private struct WaitingUpdate {
    let change: ChangedRow
    let target: TargetTable

    /// All values of the row before the update.
    let row: TargetTable.StoredRow
  }

  /// The row of a change, which is to be inserted.
  private struct Insertion {
    let new: ChangedRow.Image
    let change: ChangedRow
    let target: TargetTable
  }

  init(
    _ db: Database, triggers: ChangesetTriggers, checksForeignKeys: Bool, isExact: Bool = false,
    resolve: @escaping Resolve
  ) {
    (self.db, self.isExact) = (db, isExact)
    self.triggers = triggers
    self.checksForeignKeys = checksForeignKeys
    self.resolve = resolve
    foreignKeyCheck = ForeignKeyCheck(db, includesUnchangedRows: triggers == .fire || !checksForeignKeys)
  }

  mutating func apply(_ changeset: Changeset) throws {
    let numbers = NumberApplication(db, changeset, try RecordedNumbers(db))
    // The counters as only the schema changes leave them: these rename and remove counters.
    var counters = numbers.former
    var segment = NetChanges()
    for element in changeset.elements {
      switch element {
      case .row(let row): segment.add(row)
      case .schema(let sql):
        for rows in segment.takeGroups() { try apply(rows) }
        if triggers == .skip { try numbers.restoreCounters(counters) }
        try changeSchema(sql)
        counters = try RecordedNumbers(db)
      case .counter, .userVersion, .unknownRows, .notification: break
      }
    }
    for rows in segment.takeGroups() { try apply(rows) }
    if triggers == .skip { try numbers.restoreCounters(counters) }
    try numbers.apply()
    if checksForeignKeys { try foreignKeyCheck.findViolations { _ = try resolution(of: $0) } }
  }

  /// Applies each change on its own, in their order.
  mutating func applyInOrder(_ elements: [TransactionChanges.Element]) throws {
    let formerNumbers = try RecordedNumbers(db, in: ["main"])
    for element in elements {
      switch element {
      case .row(let row): try apply([row])
      case .schema(let sql): try changeSchema(sql)
      case .counter, .userVersion, .unknownRows, .notification: break
      }
    }
    try NumberApplication(db, Changeset(known: elements), formerNumbers).applyExactly()
  }

  private mutating func changeSchema(_ sql: String) throws {
    // The statements and the check belong to the former schema.
    (targets, lastTarget) = ([:], nil)
    foreignKeyCheck.schemaWillChange()
    if isExact { return try executeInMain(sql) }
    try db.execute(sql: sql)
  }

  /// Executes a statement that must change the schema of the main database. A temporary table of this connection may
  /// have the name of the changed one.
  private func executeInMain(_ sql: String) throws {
    let statement = try db.makeStatement(sql: sql)
    guard statement.writes?.schemaChanges.contains(where: { $0.database.asciiLowercased == "main" }) == true else {
      throw ChangesetError(
        .schemaMismatch, "a schema change of the main database does not change it on this connection: \(sql)")
    }
    try statement.execute()
  }

  // MARK: - Rows

  private mutating func apply(_ rows: [ChangedRow]) throws {
    // The updates of a sequence whose rows are missing before it begins; nil outside of a sequence.
    var missing: Set<Int>?
    for (index, row) in rows.enumerated() {
      switch row.images {
      case .delete(let old):
        missing = nil
        try delete(old, row)
      case .update(let old, let new):
        let known = try missing ?? missingRows(of: rows[index...])
        missing = known
        try update(old, new, row, isMissing: known.contains(index))
      case .insert(let new):
        missing = nil
        // No deletions and updates follow.
        try endWaiting()
        try insert(new, row, try target(of: row))
      }
    }
    try endWaiting()
    let displaced = displaced
    self.displaced = []
    for insertion in displaced { try insert(insertion.new, insertion.change, insertion.target, withRowID: false) }
  }

  /// The indexes of the updates at the beginning of some changes whose rows are missing.
  ///
  /// - Returns: None if no key changes: then a row that is missing remains so.
  private mutating func missingRows(of rows: ArraySlice<ChangedRow>) throws -> Set<Int> {
    let updates = rows.prefix { $0.operation == .update }
    let hasMoved = try updates.contains { row in
      guard case .update(let old, let new) = row.images else { return false }
      let target = try target(of: row)
      return target.key(of: old) != target.key(of: new)
    }
    if !hasMoved { return [] }
    return try Set(
      updates.indices.filter { index in
        guard case .update(let old, _) = updates[index].images else { return false }
        let target = try target(of: updates[index])
        return try target.read(target.key(of: old)) == nil
      })
  }

  private mutating func delete(_ old: ChangedRow.Image, _ row: ChangedRow) throws {
    let target = try target(of: row)
    let key = target.key(of: old)
    guard let current = try target.read(key) else {
      // There is nothing to replace.
      return try skip(row, after: ChangesetConflict(.rowMissing, row))
    }
    if !target.matches(current, old) {
      let conflict = ChangesetConflict(.rowDiffers, row, current: try target.described(key))
      guard try isReplaced(row, conflict) else { return }
      foreignKeyCheck.includeUnchangedRows()
    }
    do {
      try target.delete(key)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return try skip(row, after: error)
    }
    try foreignKeyCheck.rowWasDeleted(old, of: row, target)
  }

  /// - Parameter isMissing: Whether the row is missing, although another one may have its key now.
  private mutating func update(
    _ old: ChangedRow.Image, _ new: ChangedRow.Image, _ row: ChangedRow, isMissing: Bool
  ) throws {
    let target = try target(of: row)
    let key = target.key(of: old)
    guard !isMissing, let current = try target.read(key) else {
      guard try isReplaced(row, ChangesetConflict(.rowMissing, row)) else { return }
      return missing.append(Insertion(new: new, change: row, target: target))
    }
    if !target.matches(current, old) {
      let conflict = ChangesetConflict(.rowDiffers, row, current: try target.described(key))
      guard try isReplaced(row, conflict) else { return }
      foreignKeyCheck.includeUnchangedRows()
    }
    switch try target.update(key, old, new) {
    case .done: try foreignKeyCheck.rowWasUpdated(old, new, of: row, target)
    case .isNotUnique:
      let stored = try target.readStoredRow(key)
      try target.delete(key)
      waiting.append(WaitingUpdate(change: row, target: target, row: stored))
    case .violates(let error): try skip(row, after: error)
    }
  }

  private mutating func insert(
    _ new: ChangedRow.Image, _ row: ChangedRow, _ target: TargetTable, withRowID hasRowID: Bool = true
  ) throws {
    var replaces = false
    while true {
      switch try target.insert(new, withRowID: hasRowID, replaces: replaces) {
      case .done: return try foreignKeyCheck.rowWasInserted(new, of: row, target)
      case .isNotUnique(let error) where target.hasAnotherRow(withRowIDOf: new, error):
        return displaced.append(Insertion(new: new, change: row, target: target))
      case .isNotUnique(let error):
        let conflict = try target.conflict(of: row, with: new, error)
        guard try isReplaced(row, conflict) else { return }
        if replaces { throw error }
        if conflict.kind == .rowExists, let conflict = try conflictAfterReplacement(new, row, target) {
          guard try isReplaced(row, conflict) else { return }
        }
        replaces = true
        foreignKeyCheck.includeUnchangedRows()
      case .violates(let error): return try skip(row, after: error)
      }
    }
  }

  /// The conflict of a row with the unique value of another row, once the row of its identity has been removed.
  ///
  /// `REPLACE` removes both rows, but the program may want to replace only the first.
  private func conflictAfterReplacement(
    _ new: ChangedRow.Image, _ row: ChangedRow, _ target: TargetTable
  ) throws -> ChangesetConflict? {
    var conflict: ChangesetConflict?
    try db.inSavepoint {
      let key = target.key(of: new)
      do {
        try target.delete(key)
        if case .isNotUnique(let error) = try target.insert(new, withRowID: key.isRowID, replaces: false) {
          conflict = try target.conflict(of: row, with: new, error)
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        // A trigger refuses the deletion. `REPLACE` executes it only with recursive triggers.
      }
      return .rollback
    }
    return conflict
  }

  /// Inserts the rows of waiting updates, and those of updates whose rows were missing.
  private mutating func endWaiting() throws {
    try insertWaiting()
    let insertions = missing
    missing = []
    for insertion in insertions { try insert(insertion.new, insertion.change, insertion.target) }
  }

  private mutating func insertWaiting() throws {
    if waiting.isEmpty { return }
    let updates = waiting
    waiting = []
    for update in updates {
      guard case .update(let old, let new) = update.change.images else { continue }
      var replaces = false
      repeat {
        switch try update.target.insert(update.row, changing: old, to: new, replaces: replaces) {
        case .done:
          try foreignKeyCheck.rowWasUpdated(old, new, of: update.change, update.target)
          replaces = false
        case .isNotUnique(let error):
          let conflict = try update.target.conflict(of: update.change, with: new, error)
          let isReplaced = try isReplaced(update.change, conflict)
          if replaces { throw error }
          replaces = isReplaced
          if isReplaced { foreignKeyCheck.includeUnchangedRows() } else { try restore(update) }
        case .violates(let error):
          try skip(update.change, after: error)
          try restore(update)
          replaces = false
        }
      } while replaces
    }
  }

  /// Inserts the row of a skipped update with its old values.
  private func restore(_ update: WaitingUpdate) throws {
    switch try update.target.insert(update.row, changing: nil, to: nil, replaces: false) {
    case .done: return
    // Another change has taken a unique value of the row, so that both cannot be resolved on their own.
    case .isNotUnique(let error), .violates(let error):
      throw ChangesetConflict(
        .uniqueValueExists, update.change, message: "the row cannot keep its values: \(error.message ?? "")")
    }
  }

  private mutating func target(of row: ChangedRow) throws -> TargetTable {
    if let lastTarget, lastTarget.table === row.table { return lastTarget.target }
    let target: TargetTable
    if let known = targets[row.table] {
      target = known
    } else {
      target = try TargetTable(row.table, db, skipsTriggers: triggers == .skip, isExact: isExact)
      targets[row.table] = target
    }
    lastTarget = (row.table, target)
    return target
  }

  // MARK: - Conflicts

  private func resolution(of conflict: ChangesetConflict) throws -> ChangesetConflict.Resolution {
    let resolution = try resolve(conflict)
    let isPossible =
      switch resolution {
      case .abort: false
      case .skip: true
      case .replace: conflict.kind != .constraint && conflict.kind != .foreignKey
      }
    if !isPossible { throw conflict }
    return resolution
  }

  /// Resolves a conflict, and notes the change if it is left out.
  private mutating func isReplaced(_ row: ChangedRow, _ conflict: ChangesetConflict) throws -> Bool {
    if try resolution(of: conflict) == .replace { return true }
    skipped.append(row)
    return false
  }

  private mutating func skip(_ row: ChangedRow, after conflict: ChangesetConflict) throws {
    _ = try resolution(of: conflict)
    skipped.append(row)
  }

  private mutating func skip(_ row: ChangedRow, after error: DatabaseError) throws {
    try skip(row, after: ChangesetConflict(.constraint, row, message: error.message))
  }
}
