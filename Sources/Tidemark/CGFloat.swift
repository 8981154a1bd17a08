public import Foundation
public import TidemarkEssentials

extension CGFloat: DatabaseValueConvertible {
  /// The number as REAL. SQLite stores NaN as NULL.
  public var databaseValue: DatabaseValue { Double(self).databaseValue }

  /// Converts a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
    Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
  }
}
