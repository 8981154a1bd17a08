/// Options of a table. See ``Database/create(table:options:body:)``.
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if the table already exists.
  public static let ifNotExists = TableOptions(rawValue: 1 << 0)

  /// Creates the table in the temporary database.
  public static let temporary = TableOptions(rawValue: 1 << 1)

  /// Creates a table without row IDs, whose rows are identified by their primary key.
  public static let withoutRowID = TableOptions(rawValue: 1 << 2)

  /// Enforces the types of columns.
  public static let strict = TableOptions(rawValue: 1 << 3)
}

/// Options of a view. See `Database.create(view:options:columns:as:)`.
public struct ViewOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if the view already exists.
  public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

  /// Creates the view in the temporary database.
  public static let temporary = ViewOptions(rawValue: 1 << 1)
}

/// Options of an index. See `Database.create(index:on:columns:options:condition:)`.
public struct IndexOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if the index already exists.
  public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

  /// Enforces distinct values.
  public static let unique = IndexOptions(rawValue: 1 << 1)
}

/// Options of a virtual table. See `Database.create(virtualTable:options:using:)`.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if the table already exists.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

  /// Creates the table in the temporary database.
  public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
