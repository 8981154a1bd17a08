/// The distinct keys of the rows of a request, in the order of SQLite, which lead to prefetched rows.
///
/// SQLite mostly returns the prefetched rows of a key one after the other, and in the order of the keys. So the group
/// of a row is searched near the group of the previous row, without hashing (benchmark `associations`).
struct PrefetchKeys {
  private let keys: Keys

  /// For each row of the request, the index of its key, or nil if its key contains NULL.
  private let groups: [Int?]

  private enum Keys {
    case integers(SortedKeys<Int64>)
    case values(SortedKeys<KeyValues>)
  }

  /// - Parameters:
  ///   - rows: The rows of the request.
  ///   - columns: The indexes of the columns of the key.
  init(of rows: StoredRows, columns: [Int]) {
    if columns.count == 1, let integers = rows.integers(inColumn: columns[0]) {
      let keys = SortedKeys(integers)
      groups = keys.indexes(of: integers)
      self.keys = .integers(keys)
    } else {
      let values = rows.keyValues(inColumns: columns)
      let keys = SortedKeys(values)
      groups = keys.indexes(of: values)
      self.keys = .values(keys)
    }
  }

  var count: Int {
    switch keys {
    case .integers(let keys): keys.keys.count
    case .values(let keys): keys.keys.count
    }
  }

  /// Returns the values of some keys, which have one column.
  func values(in range: Range<Int>) -> [DatabaseValue] {
    switch keys {
    case .integers(let keys): keys.keys[range].map { DatabaseValue(.int64($0)) }
    case .values(let keys): keys.keys[range].map { $0.values[0] }
    }
  }

  /// Returns the values of a key that has several columns.
  func composite(_ index: Int) -> [DatabaseValue] {
    switch keys {
    case .integers: values(in: index..<index + 1)
    case .values(let keys): keys.keys[index].values
    }
  }

  /// Returns the distinct values of one of the columns of the keys.
  func values(at column: Int) -> [DatabaseValue] {
    switch keys {
    case .integers: values(in: 0..<count)
    case .values(let keys): Array(Set(keys.keys.map { $0.values[column] })).sorted { $0.isOrdered(before: $1) }
    }
  }

  /// Returns prefetched rows in the groups of their keys.
  ///
  /// - Parameters:
  ///   - rows: The prefetched rows. Their last columns are the columns of the key.
  ///   - width: The number of columns of the key.
  func groups(of rows: StoredRows, width: Int) -> RowGroups {
    let columns = Array(rows.visibleColumns.count - width..<rows.visibleColumns.count)
    let groupOfRow: [Int?]
    switch keys {
    case .integers(let keys):
      if let integers = rows.integers(inColumn: columns[0]) {
        groupOfRow = keys.indexes(of: integers)
      } else {
        let keys = SortedKeys(ascending: keys.keys.map { KeyValues(values: [DatabaseValue(.int64($0))]) })
        groupOfRow = keys.indexes(of: rows.keyValues(inColumns: columns))
      }
    case .values(let keys):
      groupOfRow = keys.indexes(of: rows.keyValues(inColumns: columns))
    }
    return RowGroups(rows, groupCount: count, groupOfRow: groupOfRow, groups: groups)
  }
}

/// Distinct keys in ascending order.
private struct SortedKeys<Key: Comparable> {
  let keys: [Key]

  /// Creates the distinct keys of a list. Nil is not a key.
  init(_ list: [Key?]) {
    var keys = list.compactMap { $0 }
    if !zip(keys, keys.dropFirst()).allSatisfy(<) {
      keys.sort()
      var distinct: [Key] = []
      for key in keys where distinct.last != key { distinct.append(key) }
      keys = distinct
    }
    self.keys = keys
  }

  init(ascending keys: [Key]) {
    self.keys = keys
  }

  /// Returns the index of each key of a list.
  func indexes(of list: [Key?]) -> [Int?] {
    var guess = 0
    return list.map { key in
      guard let key, let index = index(of: key, near: guess) else { return nil }
      guess = index
      return index
    }
  }

  private func index(of key: Key, near guess: Int) -> Int? {
    if guess < keys.count, keys[guess] == key { return guess }
    if guess + 1 < keys.count, keys[guess + 1] == key { return guess + 1 }
    var range = 0..<keys.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if keys[middle] < key { range = middle + 1..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    return range.lowerBound < keys.count && keys[range.lowerBound] == key ? range.lowerBound : nil
  }
}

/// The values of the columns of a key, in the order of SQLite for binary collations.
private struct KeyValues: Comparable {
  let values: [DatabaseValue]

  static func < (lhs: KeyValues, rhs: KeyValues) -> Bool {
    for (left, right) in zip(lhs.values, rhs.values) where left != right { return left.isOrdered(before: right) }
    return false
  }
}

extension StoredRows {
  /// Returns the integers in a column, and nil for NULL. Returns nil if the column contains other values.
  fileprivate func integers(inColumn column: Int) -> [Int64?]? {
    var integers: [Int64?] = []
    integers.reserveCapacity(count)
    for row in 0..<count {
      switch value(ofRow: row, at: column).storage {
      case .int64(let integer): integers.append(integer)
      case .null: integers.append(nil)
      case .double, .string, .blob: return nil
      }
    }
    return integers
  }

  /// Returns the values of a key in each row, or nil if one of them is NULL.
  fileprivate func keyValues(inColumns columns: [Int]) -> [KeyValues?] {
    (0..<count).map { row in
      let values = columns.map { value(ofRow: row, at: $0) }
      return values.contains(where: \.isNull) ? nil : KeyValues(values: values)
    }
  }
}
