/// An index on columns of a table, as returned by ``Database/indexes(on:in:)``.
public struct IndexInfo: Sendable {
  /// The origin of an index.
  public struct Origin: RawRepresentable, Equatable, Hashable, Sendable {
    /// SQLite's name of the origin.
    public var rawValue: String

    /// Creates an origin.
    ///
    /// - Parameter rawValue: SQLite's name of the origin.
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

  /// The name of the index.
  public let name: String

  /// The columns, in their order in the index.
  public let columns: [String]

  /// Whether two rows cannot have the same values in the columns.
  public let isUnique: Bool

  /// The origin of the index.
  public let origin: Origin

  /// Whether the index contains only the rows that satisfy a condition.
  let isPartial: Bool

  /// The collations of the columns in the index, which may differ from the collations in the table.
  let collations: [String]
}
