public import FoundationEssentials

/// A Swift function that SQL uses to compare and sort text.
///
/// ```swift
/// let byLength = DatabaseCollation("by_length") { lhs, rhs in
///   lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
/// }
/// try dbQueue.write { db in
///   db.add(collation: byLength)
///   try db.execute(sql: "CREATE TABLE word (text TEXT COLLATE by_length)")
/// }
/// ```
///
/// All connections that use the table need the collation: add it in `Configuration.prepareDatabase`.
public final class DatabaseCollation: Identifiable, Sendable {
  /// The identity of a collation: its case-insensitive name.
  public struct ID: Hashable, Sendable {
    let name: String

    /// Returns whether two names are equal. They are case-insensitive.
    public static func == (lhs: ID, rhs: ID) -> Bool { lhs.name.lowercased() == rhs.name.lowercased() }

    /// Hashes the case-insensitive name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name.lowercased()) }
  }

  /// The identity of the collation.
  public var id: ID { ID(name: name) }

  /// The name of the collation.
  public let name: String

  private let compare: @Sendable (String, String) -> ComparisonResult

  /// Creates a collation.
  ///
  /// ```swift
  /// let numeric = DatabaseCollation("numeric") { lhs, rhs in
  ///   lhs.compare(rhs, options: .numeric)
  /// }
  /// ```
  ///
  /// - Parameter name: The SQL name of the collation.
  /// - Parameter function: Compares two texts. It must define a consistent order.
  public init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
    self.name = name
    compare = function
  }

  func box() -> SQLCollationBox {
    SQLCollationBox { [compare] lhs, rhs in CInt(compare(lhs, rhs).rawValue) }
  }
}

extension DatabaseCollation: Hashable {
  /// Returns whether two collations have the same name.
  public static func == (lhs: DatabaseCollation, rhs: DatabaseCollation) -> Bool { lhs.id == rhs.id }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
