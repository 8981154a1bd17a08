import FoundationEssentials

extension DatabaseValue: DatabaseValueConvertible {
  /// The value itself.
  @inlinable
  public var databaseValue: DatabaseValue { self }

  /// Returns the value itself, including NULL.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

  /// Implementation detail; do not call it.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> DatabaseValue? {
    DatabaseValue.read(sqliteStatement, index)
  }

  /// Creates the database value of any value. Fails if its type cannot be stored, or if it is an integer that is too
  /// large for SQLite.
  public init?(value: Any) {
    switch value {
    case let integer as any FixedWidthInteger where Int64(exactly: integer) == nil: return nil
    case let value as any ReportsUnreadableValue where value.isTooLargeForSQLite: return nil
    case let value as any DatabaseValueConvertible: self = value.databaseValue
    default: return nil
    }
  }
}

/// A type whose `databaseValue` may trap.
package protocol ReportsUnreadableValue {
  var isTooLargeForSQLite: Bool { get }
}

extension DatabaseValue.Storage {
  /// The value as `Int64`, `Double`, `String` or `Data`, or nil for NULL.
  public var value: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .int64(let integer): integer
    case .double(let double): double
    case .string(let string): string
    case .blob(let data): data
    }
  }
}
