/// A position in the change feed of a database: see `DatabaseWriter.changes(after:in:)`.
///
/// ```swift
/// let (players, token) = try await dbPool.read { db in
///   try (Player.fetchAll(db), db.changeToken())
/// }
/// for try await entry in try await dbPool.changes(after: token) {
///   print(entry.changes)
/// }
/// ```
///
/// A token can be stored: it is a short text, and remains valid when the program ends, or crashes.
///
/// It names the history of the database, the version that a transaction has led to, and a digest of all transactions
/// until then. A database that was restored from a backup, or has lost its last transactions in a power failure, may
/// use a version again for another transaction. It then refuses the token, instead of continuing with changes that do
/// not fit.
public struct ChangeToken: Hashable, Sendable {
  /// Identifies the feed. A copy of the database file has the same one.
  let history: ChangeDigest

  /// The number of the last row of the feed that belongs to the transaction.
  let id: FeedID

  let digest: ChangeDigest

  /// The version of the database after the transaction. It is the same in each process.
  public var version: DatabaseVersion { DatabaseVersion(id.version) }
}

extension ChangeToken: LosslessStringConvertible {
  /// The token as a text, from which it can be created again.
  public var description: String {
    [history.low, history.high, UInt64(bitPattern: id.number), digest.low, digest.high]
      .map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// Creates a token from its text; nil if it is not the text of a token.
  public init?(_ description: String) {
    let words = description.split(separator: "-", omittingEmptySubsequences: false).map { word in
      // Each token has one text.
      UInt64(word, radix: 16).flatMap { String($0, radix: 16) == word ? $0 : nil }
    }
    guard words.count == 5, let historyLow = words[0], let historyHigh = words[1], let number = words[2],
      let low = words[3], let high = words[4], let id = Int64(exactly: number).flatMap({ FeedID(number: $0) })
    else { return nil }
    self.init(
      history: ChangeDigest(low: historyLow, high: historyHigh), id: id,
      digest: ChangeDigest(low: low, high: high))
  }
}

extension ChangeToken: Codable {
  /// Decodes a token from its text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = ChangeToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a change token")
    }
    self = token
  }

  /// Encodes the text of the token.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A transaction in the change feed of a database.
public struct ChangeFeedEntry: Sendable, Hashable {
  /// The position after the transaction.
  public let token: ChangeToken

  /// The changes of the transaction.
  public let changes: TransactionChanges
}

/// An error of a change feed.
public enum ChangeFeedError: Error, Sendable, Hashable {
  /// The database has no change feed: see ``Configuration/changeFeed``.
  case notEnabled

  /// Transactions after the token were removed from the feed. The oldest one that is kept has this version.
  ///
  /// Read the database as a whole, together with ``Database/changeToken()``.
  case expired(oldest: DatabaseVersion)

  /// The token belongs to another history: the database was restored from a backup or replaced, it has lost its last
  /// transactions in a power failure, or its feed was removed and created again.
  ///
  /// Read the database as a whole, together with ``Database/changeToken()``.
  case otherHistory

  /// No consumer of this name has acknowledged a transaction: see ``Database/acknowledge(_:by:)``.
  case unknownConsumer(String)

  /// The consumer has acknowledged this version before: another task or process uses its name.
  case alreadyAcknowledged(DatabaseVersion)

  /// The entry of this version is damaged.
  case damaged(DatabaseVersion)
}

extension ChangeFeedError: CustomStringConvertible {
  /// The cause, and a remedy.
  public var description: String {
    switch self {
    case .notEnabled: "the database has no change feed: set Configuration.changeFeed when you open it for writing"
    case .expired(let oldest):
      """
      transactions after the token were removed from the change feed, whose oldest transaction has version \(oldest): \
      read the database as a whole, with a new token
      """
    case .otherHistory:
      """
      the token belongs to another history of the database, which was restored or replaced, or has lost its last \
      transactions: read the database as a whole, with a new token
      """
    case .unknownConsumer(let name):
      "the consumer \(name) has no position in the change feed: acknowledge a token first"
    case .alreadyAcknowledged(let version):
      "the consumer has acknowledged version \(version) before: is its name used twice?"
    case .damaged(let version): "the entry of version \(version) in the change feed is damaged"
    }
  }
}
