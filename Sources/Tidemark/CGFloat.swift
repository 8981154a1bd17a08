public import Foundation
public import TidemarkEssentials

extension CGFloat: DatabaseValueConvertible {
  /// A REAL. SQLite has no NaN, and stores NULL for it.
  public var databaseValue: DatabaseValue { Double(self).databaseValue }

  /// From a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
    Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
  }
}
