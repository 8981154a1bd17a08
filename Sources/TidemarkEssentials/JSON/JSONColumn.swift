/// A column of a table that contains JSON.
///
/// ```swift
/// struct Player: Codable, FetchableRecord, PersistableRecord {
///   struct Info: Codable {
///     var city: String
///   }
///   enum Columns {
///     static let name = Column(CodingKeys.name)
///     static let info = JSONColumn(CodingKeys.info)
///   }
///   var name: String
///   var info: Info
/// }
///
/// let romans = try Player.filter { $0.info["city"] == "Rome" }.fetchAll(db)
/// ```
///
/// A `Codable` record stores properties that are not values, such as structures and arrays, as JSON. `JSONColumn` gives
/// queries access to their parts. It can be used like any other column, too.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
  /// The name of the column, without quotes.
  public var name: String

  /// Creates a JSON column.
  ///
  /// ```swift
  /// let request = Player.select(JSONColumn("info")["city"])
  /// ```
  ///
  /// - Parameter name: The name of the column, without quotes.
  public init(_ name: String) {
    self.name = name
  }

  /// Creates a JSON column with the name of a coding key.
  ///
  /// ```swift
  /// static let info = JSONColumn(CodingKeys.info)
  /// ```
  ///
  /// - Parameter codingKey: A coding key. Its string value is the name of the column.
  public init(_ codingKey: some CodingKey) {
    name = codingKey.stringValue
  }
}
