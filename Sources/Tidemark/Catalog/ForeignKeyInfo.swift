/// A foreign key of a table. See `Database.foreignKeys(on:in:)`.
public struct ForeignKeyInfo: Sendable {
  /// The number of the foreign key in its table: the one declared last is 0.
  public let id: Int

  /// The table that is referred to.
  public let destinationTable: String

  /// The columns of the table, each with the one that it refers to.
  public let mapping: [(origin: String, destination: String)]

  /// The columns of the table.
  public var originColumns: [String] { mapping.map(\.origin) }

  /// The columns that are referred to.
  public var destinationColumns: [String] { mapping.map(\.destination) }
}
