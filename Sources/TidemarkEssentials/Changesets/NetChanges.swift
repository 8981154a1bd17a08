/// Merges changes of the same row.
///
/// Each identity has a state before the changes and a state after them; nil if the row does not exist. An update of the
/// identity ends the row of the old identity, and begins the row of the new one.
///
/// The rows of SQLite's changesets have only the columns that have changed. If two changes of a row have different
/// columns, the merged change has all of them, as far as their values and their order are known. Otherwise, changes are
/// not merged, and keep their order.
struct NetChanges {
  /// What identifies a row.
  enum Identification {
    /// As in `ChangedRow.Identity`.
    case automatic

    /// The values of the primary key.
    case primaryKey
  }

  private struct Key: Hashable {
    var table: Int
    var identity: ChangedRow.Identity
  }

  private struct Entry {
    var table: ChangedTable
    var before: ChangedRow.Image?
    var after: ChangedRow.Image?

    /// The entry with its columns in the order of the table: SQLite's format identifies columns by their positions.
    var ordered: Entry {
      guard let whole = table.whole else { return self }
      let order = whole.columnNames.compactMap { table.index(ofColumn: $0) }
      if order == Array(table.columnNames.indices) { return self }
      var result = self
      result.table = ChangedTable(
        databaseName: table.databaseName, name: table.name, columnNames: order.map { table.columnNames[$0] },
        primaryKey: table.primaryKey.compactMap(order.firstIndex(of:)), rowID: table.rowID, whole: whole)
      if let before { result.before?.values = order.map { before.values[$0] } }
      if let after { result.after?.values = order.map { after.values[$0] } }
      return result
    }
  }

  private let identification: Identification
  private var finished: [[ChangedRow]] = []
  private var entries: [Entry] = []
  private var indexes: [Key: Int] = [:]
  private var tableNumbers: [TableKey: Int] = [:]

  /// The kinds of the row IDs of the last changes, by the numbers of their tables.
  private var rowIDs: [ChangedTable.RowID] = []
  private var lastTable: (table: ChangedTable, number: Int)?

  init(identifyingRowsBy identification: Identification = .automatic) { self.identification = identification }

  /// Adds the next change.
  mutating func add(_ row: ChangedRow) {
    let number = number(of: row.table)
    switch row.images {
    case .insert(let new): set(new, row.table, number)
    case .delete(let old): remove(old, row.table, number)
    case .update(let old, let new):
      let (oldKey, newKey) = (key(old, row.table, number), key(new, row.table, number))
      if oldKey == newKey { return update(from: old, to: new, row.table, oldKey) }
      remove(old, row.table, number)
      set(new, row.table, number)
    }
  }

  /// Returns the merged changes, and begins again.
  mutating func takeRows() -> [ChangedRow] { takeGroups().flatMap(\.self) }

  /// Returns the merged changes, and begins again. Changes of different groups could not be merged.
  mutating func takeGroups() -> [[ChangedRow]] {
    finishEntries()
    defer { finished = [] }
    return finished
  }

  private mutating func finishEntries() {
    var (deletions, updates, insertions): ([ChangedRow], [ChangedRow], [ChangedRow]) = ([], [], [])
    for entry in entries.lazy.map(\.ordered) {
      switch (entry.before, entry.after) {
      case (nil, nil): break
      case (let old?, nil): deletions.append(ChangedRow(table: entry.table, images: .delete(old)))
      case (nil, let new?): insertions.append(ChangedRow(table: entry.table, images: .insert(new)))
      case (let old?, let new?):
        if old.isIdentical(to: new) { break }
        updates.append(ChangedRow(table: entry.table, images: .update(old: old, new: new)))
      }
    }
    finished.append(deletions + updates + insertions)
    (entries, indexes) = ([], [:])
  }

  // MARK: - Entries

  private mutating func set(_ new: ChangedRow.Image, _ table: ChangedTable, _ number: Int) {
    let key = key(new, table, number)
    guard let index = index(of: key, table, mustInclude: true) else {
      return append(Entry(table: table, before: nil, after: new), key)
    }
    entries[index].after = entries[index].table === table ? new : extended(new, table, to: entries[index], at: index)
  }

  private mutating func remove(_ old: ChangedRow.Image, _ table: ChangedTable, _ number: Int) {
    let key = key(old, table, number)
    guard let index = index(of: key, table, mustInclude: false) else {
      return append(Entry(table: table, before: old, after: nil), key)
    }
    _ = extended(old, table, to: entries[index], at: index)
    entries[index].after = nil
  }

  private mutating func update(
    from old: ChangedRow.Image, to new: ChangedRow.Image, _ table: ChangedTable, _ key: Key
  ) {
    guard let index = index(of: key, table, mustInclude: false) else {
      return append(Entry(table: table, before: old, after: new), key)
    }
    if entries[index].table === table {
      entries[index].after = new
    } else {
      _ = extended(old, table, to: entries[index], at: index)
      entries[index].after = extended(new, table, to: entries[index], at: index)
    }
  }

  private mutating func append(_ entry: Entry, _ key: Key) {
    indexes[key] = entries.count
    entries.append(entry)
  }

  /// The entry of an identity, unless its columns cannot be merged with the columns of a table.
  ///
  /// - Parameter mustInclude: Whether the table must have all columns of the entry, and no others.
  private mutating func index(of key: Key, _ table: ChangedTable, mustInclude: Bool) -> Int? {
    guard let index = indexes[key] else { return nil }
    let known = entries[index].table
    if known === table || known == table { return index }
    let isMergeable =
      !mustInclude && known.rowID == table.rowID && entries[index].after != nil
      && known.keyNames == table.keyNames
      && (entries[index].before != nil || known.hasColumns(of: table)) && known.whole(with: table) != nil
    if isMergeable { return index }
    finishEntries()
    return nil
  }

  /// Adds the columns of a table to an entry, with the values of an image, and returns the image with all columns.
  private mutating func extended(
    _ image: ChangedRow.Image, _ table: ChangedTable, to entry: Entry, at index: Int
  ) -> ChangedRow.Image {
    if entry.table === table || entry.table == table { return image }
    let missing = table.columnNames.indices.filter { entry.table.index(ofColumn: table.columnNames[$0]) == nil }
    if !missing.isEmpty {
      let columnNames = entry.table.columnNames + missing.map { table.columnNames[$0] }
      entries[index].table = ChangedTable(
        databaseName: entry.table.databaseName, name: entry.table.name, columnNames: columnNames,
        primaryKey: entry.table.primaryKey, rowID: entry.table.rowID, whole: entry.table.whole(with: table))
      let values = missing.map { image.values[$0] }
      // These columns have not changed until now.
      entries[index].before?.values += values
      entries[index].after?.values += values
    }
    var result = entries[index].after ?? image
    result.rowID = image.rowID
    for (name, value) in zip(table.columnNames, image.values) {
      if let position = entries[index].table.index(ofColumn: name) { result.values[position] = value }
    }
    return result
  }

  // MARK: - Keys

  private func key(_ image: ChangedRow.Image, _ table: ChangedTable, _ number: Int) -> Key {
    let hasRowID = identification == .automatic && table.rowID != .none
    return Key(
      table: number,
      identity: hasRowID ? .rowID(image.rowID) : .primaryKey(table.primaryKey.map { image.values[$0] }))
  }

  private mutating func number(of table: ChangedTable) -> Int {
    if let lastTable, lastTable.table === table { return lastTable.number }
    let number = tableNumbers[table.key] ?? tableNumbers.count
    if number == rowIDs.count {
      tableNumbers[table.key] = number
      rowIDs.append(table.rowID)
    } else if rowIDs[number] != table.rowID {
      // The same row may have another identity, for instance in SQLite's format: the changes keep their order.
      rowIDs[number] = table.rowID
      finishEntries()
    }
    lastTable = (table, number)
    return number
  }
}

extension ChangedTable {
  /// The names of the columns of the primary key, in lower case.
  var keyNames: [String] { primaryKey.map { columnNames[$0].asciiLowercased } }

  /// The index of a column, compared as in SQLite.
  func index(ofColumn name: String) -> Int? {
    let name = name.asciiLowercased
    return columnNames.firstIndex { $0.asciiLowercased == name }
  }

  /// A table that has the columns of this table and of another one in their order; nil if the order is unknown.
  func whole(with other: ChangedTable) -> ChangedTable? {
    [whole, other.whole, self, other].compactMap(\.self).first {
      $0.hasColumns(of: self) && $0.hasColumns(of: other)
    }
  }

  func hasColumns(of other: ChangedTable) -> Bool {
    other.columnNames.allSatisfy { index(ofColumn: $0) != nil }
  }
}
