/// An error of a record.
public enum RecordError: Error, Sendable {
  /// There is no row of that key in the table.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
  /// The table, and the key.
  public var description: String {
    switch self {
    case .recordNotFound(let tableName, let key):
      let values = key.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
      return "Key not found in table \(tableName): [\(values.joined(separator: " "))]"
    }
  }
}
