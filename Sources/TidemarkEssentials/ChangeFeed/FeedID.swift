/// The number of a row of the change feed: the version of a transaction, and the number of one of its parts.
///
/// A large transaction has several parts. Usually, there is one, with number zero.
struct FeedID: Hashable, Comparable, Sendable {
  let number: Int64

  private static let partBitCount = 20
  static let partCountMax = 1 << partBitCount

  /// Nil if no row can have the number: the first transaction has version 1.
  init?(number: Int64) {
    guard (1..<1 << 42).contains(number >> Self.partBitCount) else { return nil }
    self.number = number
  }

  private init(unchecked number: Int64) { self.number = number }

  init(version: UInt64, part: Int = 0) { number = Int64(version) << Self.partBitCount | Int64(part) }

  /// Before all transactions.
  static let none = FeedID(unchecked: 0)

  var version: UInt64 { UInt64(number >> Self.partBitCount) }
  var part: Int { Int(number & Int64(Self.partCountMax - 1)) }

  /// A position immediately before the row.
  var predecessor: FeedID { FeedID(unchecked: number - 1) }

  /// The next part of the transaction. There are fewer parts than `partCountMax`: the rows in a file are limited.
  var nextPart: FeedID { FeedID(unchecked: number + 1) }

  /// The first part of the next transaction.
  var next: FeedID { FeedID(version: version + 1) }

  /// Whether a row can follow this one immediately.
  func isFollowed(by other: FeedID) -> Bool {
    other.number == number + 1 && other.part != 0 || other == next
  }

  static func < (lhs: FeedID, rhs: FeedID) -> Bool { lhs.number < rhs.number }
}
