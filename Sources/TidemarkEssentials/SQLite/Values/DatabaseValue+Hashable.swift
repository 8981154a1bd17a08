// Equality is SQLite's, not Swift's: an integer equals a double with exactly the same value.

extension DatabaseValue: Hashable {
  /// Whether SQLite considers both values equal. NULL equals NULL, and NaN equals nothing.
  public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.null, .null): true
    case (.int64(let lhs), .int64(let rhs)): lhs == rhs
    case (.double(let lhs), .double(let rhs)): lhs == rhs
    case (.int64(let integer), .double(let double)), (.double(let double), .int64(let integer)):
      Int64(exactly: double) == integer
    case (.string(let lhs), .string(let rhs)): lhs.hasSameBytes(as: rhs)
    case (.blob(let lhs), .blob(let rhs)): lhs == rhs
    default: false
    }
  }

  /// Equal values have equal hashes, including the integer 1 and the double 1.0.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .null: hasher.combine(0)
    case .int64(let integer): hasher.combine(Double(integer))
    case .double(let double): hasher.combine(double)
    case .string(let string): string.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let data): hasher.combine(data)
    }
  }
}

extension DatabaseValue.Storage: Equatable {
  /// Whether both storages have the same class and the same value: an integer never equals a double.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.int64(let lhs), .int64(let rhs)): lhs == rhs
    case (.double(let lhs), .double(let rhs)): lhs == rhs
    case (.string(let lhs), .string(let rhs)): lhs.hasSameBytes(as: rhs)
    case (.blob(let lhs), .blob(let rhs)): lhs == rhs
    default: false
    }
  }
}

extension DatabaseValue {
  /// Whether both values have the same storage class and the same bytes: 0.0 differs from -0.0.
  func hasSameBytes(as other: DatabaseValue) -> Bool {
    if case .double(let double) = storage, case .double(let other) = other.storage {
      return double.bitPattern == other.bitPattern
    }
    return storage == other.storage
  }
}

extension String {
  // SQLite compares texts byte by byte. Swift considers "é" equal to "e" followed by its accent, SQLite does not.
  func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { own in
      other.withBytes { UnsafeRawBufferPointer(own).hasSameBytes(as: UnsafeRawBufferPointer($0)) }
    }
  }

  fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value in the format of rows and errors: `NULL`, `1`, `1.5`, `"text"`, `Data(3 bytes)`.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .int64(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .string(let string): String(reflecting: string)
    case .blob(let data): "Data(\(data.count) bytes)"
    }
  }
}
