/// A foreign key of a table. See `Database.foreignKeys(on:in:)`.
public struct ForeignKeyInfo: Sendable {
  /// The number of the foreign key in its table: the one declared last is 0.
  public let id: Int

  /// The table that is referred to.
  public let destinationTable: String

  /// The columns of the table.
  public let originColumns: [String]

  /// The columns that are referred to. There are none when the foreign key names none, and means the primary key of a
  /// table that does not exist.
  public let destinationColumns: [String]

  /// The columns of the table, each with the one that it refers to.
  public var mapping: [(origin: String, destination: String)] {
    zip(originColumns, destinationColumns).map { (origin: $0, destination: $1) }
  }
}
