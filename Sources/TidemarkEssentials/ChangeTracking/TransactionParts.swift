/// A large transaction, which a consumer receives in parts.
struct TransactionParts: Sendable {
  fileprivate let commit: CommittedChanges
  fileprivate let rows: TransactionRows
  fileprivate let isUnknown: Bool
  fileprivate let microsecondsSince1970: Int64
  fileprivate let versions: ClosedRange<DatabaseVersion>?

  /// The index of the next part, and of the next schema change or notification.
  fileprivate var next = 0
  fileprivate var nextOther = 0

  /// Whether the consumer has received a part.
  fileprivate var hasBegun = false

  /// Nil if the transaction is received as a whole.
  init?(
    _ commit: CommittedChanges, isUnknown: Bool, at microsecondsSince1970: Int64,
    _ versions: ClosedRange<DatabaseVersion>?
  ) {
    guard let rows = commit.details?.storedRows else { return nil }
    (self.commit, self.rows, self.isUnknown) = (commit, rows, isUnknown)
    (self.microsecondsSince1970, self.versions) = (microsecondsSince1970, versions)
  }
}

extension ChangeReader {
  /// Returns the next part that concerns the region; nil after the last one.
  ///
  /// - Parameter rowLimit: The number of rows in the tables of the region beyond which rows are left out.
  mutating func nextPart(of parts: inout TransactionParts, rowLimit: Int) -> TransactionChanges? {
    let rows = parts.rows
    if parts.next == 0, rowLimit < .max, rows.rowCount(where: admitsRows) > rowLimit {
      parts.next = rows.partCount
      return changes(
        of: parts.commit, isUnknown: parts.isUnknown, rowLimit: rowLimit, at: parts.microsecondsSince1970,
        parts.versions)
    }
    while parts.next < rows.partCount {
      defer { parts.next += 1 }
      do {
        if let changes = try changes(&parts) { return changes }
      } catch {
        Database.log(error, "Could not read the rows of a large transaction")
        parts.next = rows.partCount
        return TransactionChanges(
          versions: parts.versions, microsecondsSince1970: parts.microsecondsSince1970,
          completeness: .incomplete(.notStored))
      }
    }
    return nil
  }

  /// The changes of the next part; nil if none of them concerns the region.
  private mutating func changes(_ parts: inout TransactionParts) throws -> TransactionChanges? {
    let rows = parts.rows
    let log = try rows.part(parts.next)
    let first = rows.rowCount(beforePart: parts.next)
    let isLast = parts.next == rows.partCount - 1
    var draft = Draft()
    func addOthers(before row: Int, _ parts: inout TransactionParts) {
      let others = rows.rowlessChanges
      while parts.nextOther < others.count, others[parts.nextOther].rowCount <= row {
        add(others[parts.nextOther], to: &draft)
        parts.nextOther += 1
      }
    }
    limitCache()
    let isKnown = log.layouts.map { !rows.incompleteTables.contains($0.key) }
    log.withRows { records, values in
      for (index, record) in records.enumerated() {
        addOthers(before: first + index, &parts)
        if record.isCaptured, isKnown[Int(record.table)] { add(record, at: index, of: log, values, to: &draft) }
      }
    }
    let elements = draft.elements
    let unknown = parts.commit.tables.filter { rows.incompleteTables.contains($0.key) && concernsRegion($0) }
    for table in unknown { draft.addUnknownRows(table.key.database, table.key.name) }
    let completeness = completeness(
      of: parts.commit, isUnknown: parts.isUnknown, hasTooManyRows: !unknown.isEmpty && rows.isTruncated, draft)
    if isLast {
      addOthers(before: .max, &parts)
      if let numbers = parts.commit.details?.numbers { add(numbers, to: &draft) }
    } else {
      draft.elements = elements
    }
    if draft.elements.isEmpty, !isLast || !parts.hasBegun && completeness == .complete { return nil }
    parts.hasBegun = true
    return TransactionChanges(
      versions: parts.versions, microsecondsSince1970: parts.microsecondsSince1970, completeness: completeness,
      isContinued: !isLast, elements: draft.elements)
  }
}
