/// Options of a table. See `Database.create(table:options:body:)`.
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Options from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Nothing is done when there is a table of that name already.
  public static let ifNotExists = TableOptions(rawValue: 1 << 0)

  /// The table is in the temporary database.
  public static let temporary = TableOptions(rawValue: 1 << 1)

  /// Rows have no ids: they are found by their primary key alone.
  public static let withoutRowID = TableOptions(rawValue: 1 << 2)

  /// Values have the types of their columns.
  public static let strict = TableOptions(rawValue: 1 << 3)
}

/// Options of a view. See `Database.create(view:options:columns:as:)`.
public struct ViewOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Options from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Nothing is done when there is a view of that name already.
  public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

  /// The view is in the temporary database.
  public static let temporary = ViewOptions(rawValue: 1 << 1)
}

/// Options of an index. See `Database.create(index:on:columns:options:condition:)`.
public struct IndexOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Options from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Nothing is done when there is an index of that name already.
  public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

  /// No two rows have the same values in the columns.
  public static let unique = IndexOptions(rawValue: 1 << 1)
}

/// Options of a virtual table. See `Database.create(virtualTable:options:using:)`.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Options from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Nothing is done when there is a table of that name already.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

  /// The table is in the temporary database.
  public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
