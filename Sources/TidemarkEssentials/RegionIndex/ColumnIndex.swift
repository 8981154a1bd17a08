/// The parts of regions that are found by the value of a column or an expression. It belongs to a `RegionTableIndex`.
final class ColumnIndex {
  let key: Key

  enum Key: Hashable {
    /// A column, by its lowercase name.
    case column(String)
    case expression(RowFormula)

    var isExpression: Bool { if case .expression = self { true } else { false } }
  }

  private struct Parts {
    // A separate table for integers: most values are integers, which the standard library hashes faster.
    var integers = NumberTable<Int64>()
    var values = NumberTable<DatabaseValue>()
    var ranges = IntervalIndex<Int32>()

    /// The location of the column in the last used layout: most commits have the same one.
    var lastLocation: (layout: CaptureLayout, location: CaptureLayout.ValueLocation)?
  }

  private var parts = Parts()

  init(_ key: Key) {
    self.key = key
  }

  var isEmpty: Bool { parts.integers.isEmpty && parts.values.isEmpty && parts.ranges.count == 0 }

  func insert(_ value: DatabaseValue, _ number: Int32) {
    if let integer = value.exactInteger {
      parts.integers.insert(integer, number)
    } else {
      parts.values.insert(value, number)
    }
  }

  func insert(_ filter: ColumnFilter, _ number: Int32) {
    switch filter {
    case .values(let values): for value in values { insert(value, number) }
    case .range(let range): parts.ranges.insert(range, number)
    }
  }

  func remove(_ value: DatabaseValue, _ number: Int32) {
    if let integer = value.exactInteger {
      parts.integers.remove(integer, number)
    } else {
      parts.values.remove(value, number)
    }
  }

  func remove(_ filter: ColumnFilter, _ number: Int32) {
    switch filter {
    case .values(let values): for value in values { remove(value, number) }
    case .range: parts.ranges.remove(number)
    }
  }

  /// Calls a closure for each part that contains a value, or for all parts if the value is unknown.
  func find(_ value: DatabaseValue?, _ body: (Int32) -> Void) {
    guard let value else {
      parts.integers.forEach(body)
      parts.values.forEach(body)
      return parts.ranges.forEach(body)
    }
    if let integer = value.exactInteger {
      parts.integers.forEach(of: integer, body)
    } else {
      parts.values.forEach(of: value, body)
    }
    if parts.ranges.count > 0 { parts.ranges.find(value, body) }
  }

  /// Calls a closure with the value in the old and new image of each row: see `TableCommit.forEachImage`.
  func forEachImage(
    in changes: TableCommit, _ body: (DatabaseValue?, TableCommit.ChangedRow, _ isOfBothImages: Bool) -> Void
  ) {
    switch key {
    case .column(let name): changes.forEachImage(at: { location(of: name, in: $0) }, body)
    case .expression(let expression): changes.forEachImage(of: expression, body)
    }
  }

  private func location(of name: String, in layout: CaptureLayout) -> CaptureLayout.ValueLocation {
    if let last = parts.lastLocation, last.layout === layout { return last.location }
    let location = layout.location(of: name)
    parts.lastLocation = (layout, location)
    return location
  }
}

extension DatabaseValue {
  /// The integer that equals the value, if there is one: the same one for all equal values.
  fileprivate var exactInteger: Int64? {
    switch storage {
    case .int64(let integer): integer
    case .double(let double): Int64(exactly: double)
    case .null, .string, .blob: nil
    }
  }
}

/// The numbers of parts, by key.
private struct NumberTable<Key: Hashable> {
  /// Usually there is one.
  private enum Numbers {
    case one(Int32)
    case many([Int32])

    func forEach(_ body: (Int32) -> Void) {
      switch self {
      case .one(let number): body(number)
      case .many(let numbers): numbers.forEach(body)
      }
    }

    mutating func append(_ number: Int32) {
      switch self {
      case .one(let other): self = .many([other, number])
      case .many(var numbers):
        self = .many([])
        numbers.append(number)
        self = .many(numbers)
      }
    }

    /// - Returns: The remaining numbers; nil if there are none.
    consuming func removing(_ number: Int32) -> Numbers? {
      switch self {
      case .one: return nil
      case .many(var numbers):
        numbers.removeAll { $0 == number }
        return numbers.isEmpty ? nil : .many(numbers)
      }
    }
  }

  private var numbers: [Key: Numbers] = [:]

  var isEmpty: Bool { numbers.isEmpty }

  mutating func insert(_ key: Key, _ number: Int32) {
    if numbers[key]?.append(number) == nil { numbers[key] = .one(number) }
  }

  mutating func remove(_ key: Key, _ number: Int32) {
    // Removed while it changes: an array with two references would be copied.
    if let known = numbers.removeValue(forKey: key) { numbers[key] = known.removing(number) }
  }

  func forEach(of key: Key, _ body: (Int32) -> Void) { numbers[key]?.forEach(body) }

  func forEach(_ body: (Int32) -> Void) { numbers.values.forEach { $0.forEach(body) } }
}
