/// An index on columns of a table. See `Database.indexes(on:in:)`.
public struct IndexInfo: Sendable {
  /// Where an index comes from.
  public struct Origin: RawRepresentable, Equatable, Hashable, Sendable {
    /// The name that SQLite gives to the origin.
    public var rawValue: String

    /// An origin, from the name that SQLite gives to it.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A `CREATE INDEX` statement.
    public static let createIndex = Origin(rawValue: "c")

    /// A `UNIQUE` constraint.
    public static let uniqueConstraint = Origin(rawValue: "u")

    /// A `PRIMARY KEY` constraint.
    public static let primaryKeyConstraint = Origin(rawValue: "pk")
  }

  /// The name.
  public let name: String

  /// The columns, in their order in the index.
  public let columns: [String]

  /// Whether no two rows have the same values in the columns.
  public let isUnique: Bool

  /// Where the index comes from.
  public let origin: Origin

  /// Whether the index has the rows alone that meet a condition.
  let isPartial: Bool
}
