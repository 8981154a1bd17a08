/// An error of a record method.
public enum RecordError: Error, Sendable {
  /// The table has no row with the given key.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
  /// A message with the table and the key.
  public var description: String {
    switch self {
    case .recordNotFound(let tableName, let key):
      let values = key.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
      return "Key not found in table \(tableName): [\(values.joined(separator: " "))]"
    }
  }
}
