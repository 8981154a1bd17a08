public import Foundation

extension DatabaseValueConvertible {
  /// The decoder of values that are stored as JSON.
  public static func databaseJSONDecoder() -> JSONDecoder { JSONDecoder() }

  /// The encoder of values that are stored as JSON.
  public static func databaseJSONEncoder() -> JSONEncoder { JSONEncoder() }
}
