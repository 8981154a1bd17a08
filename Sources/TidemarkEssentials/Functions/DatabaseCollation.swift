public import FoundationEssentials

/// A Swift function that SQL can sort and compare texts with.
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
/// Every connection that uses the table needs the collation: add it in `Configuration.prepareDatabase`.
public final class DatabaseCollation: Identifiable, Sendable {
  /// What makes a collation another one: its name, in which case does not count.
  public struct ID: Hashable, Sendable {
    let name: String

    /// Whether both names are the same. Case does not count.
    public static func == (lhs: ID, rhs: ID) -> Bool { lhs.name.lowercased() == rhs.name.lowercased() }

    /// Hashes the name. Case does not count.
    public func hash(into hasher: inout Hasher) { hasher.combine(name.lowercased()) }
  }

  /// What makes this collation another one than others.
  public var id: ID { ID(name: name) }

  /// The name of the collation.
  public let name: String

  private let compare: @Sendable (String, String) -> ComparisonResult

  /// A collation.
  public init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
    self.name = name
    compare = function
  }

  func box() -> SQLCollationBox {
    SQLCollationBox { [compare] lhs, rhs in CInt(compare(lhs, rhs).rawValue) }
  }
}

extension DatabaseCollation: Hashable {
  /// Whether both collations have the same name.
  public static func == (lhs: DatabaseCollation, rhs: DatabaseCollation) -> Bool { lhs.id == rhs.id }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
