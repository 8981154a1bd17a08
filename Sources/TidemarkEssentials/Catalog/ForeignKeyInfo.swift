/// A foreign key of a table, as returned by ``Database/foreignKeys(on:in:)``.
public struct ForeignKeyInfo: Sendable {
  /// The number of the foreign key in its table. The foreign key that was declared last is 0.
  public let id: Int

  /// The table that the foreign key refers to.
  public let destinationTable: String

  /// The columns of the table that declares the foreign key.
  public let originColumns: [String]

  /// The columns that the foreign key refers to.
  ///
  /// The array is empty if the declaration names no columns and the destination table does not exist.
  public let destinationColumns: [String]

  /// Pairs of an origin column and the column that it refers to.
  public var mapping: [(origin: String, destination: String)] {
    zip(originColumns, destinationColumns).map { (origin: $0, destination: $1) }
  }
}
