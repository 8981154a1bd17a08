import FoundationEssentials

extension DatabaseValue: DatabaseValueConvertible {
  /// Itself.
  @inlinable
  public var databaseValue: DatabaseValue { self }

  /// Itself, NULL included.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

  /// Not for you to call.
  @inlinable
  public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> DatabaseValue? {
    DatabaseValue.read(sqliteStatement, index)
  }

  /// The database value of any value, or nil when its type cannot be stored, or when it is an integer too large for
  /// SQLite.
  public init?(value: Any) {
    switch value {
    case let integer as any FixedWidthInteger where Int64(exactly: integer) == nil: return nil
    case let value as any ReportsUnreadableValue where value.isTooLargeForSQLite: return nil
    case let value as any DatabaseValueConvertible: self = value.databaseValue
    default: return nil
    }
  }
}

/// Has values whose `databaseValue` traps.
package protocol ReportsUnreadableValue {
  var isTooLargeForSQLite: Bool { get }
}

extension DatabaseValue.Storage {
  /// The value: an `Int64`, `Double`, `String`, `Data`, or nil for NULL.
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
