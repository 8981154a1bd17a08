public import Foundation

/// An error of a replicated log.
///
/// After ``unavailable(_:)``, an operation can be repeated. After ``rejected(_:)``, an operator must change something
/// first. ``historyDiverged(expected:found:)``, ``identityReused(_:)`` and ``corrupted(_:)`` stop a node.
public enum LogError: Error, Hashable, Sendable {
  /// The log does not contain an expected position: it has forked, has lost entries, or is another log.
  ///
  /// A node with the expected position must not use this log any more.
  case historyDiverged(expected: LogPosition, found: LogPosition)

  /// The requested entries were discarded, up to this position. The node needs a snapshot.
  case behindLog(discardedThrough: LogPosition)

  /// The payload of an entry is larger than the log allows.
  case entryTooLarge(bytes: Int, limit: Int)

  /// The log contains an entry with the same identity and other contents.
  case identityReused(UUID)

  /// Stored bytes are not an entry, or an entry is missing between others.
  case corrupted(String)

  /// The log could not be reached, or had no leader, until the deadline.
  case unavailable(String)

  /// The log has refused the request for a reason that does not change by itself, such as a wrong password.
  case rejected(String)
}

extension LogError: CustomStringConvertible {
  /// The error as text for people.
  public var description: String {
    switch self {
    case .historyDiverged(let expected, let found):
      "the history of the log has diverged: expected \(expected), found \(found)"
    case .behindLog(let position): "the log was discarded through \(position): a snapshot is required"
    case .entryTooLarge(let bytes, let limit): "the payload has \(bytes) bytes, of \(limit) at most"
    case .identityReused(let id): "the identity \(id) belongs to an entry with other contents"
    case .corrupted(let reason): "the log is corrupted: \(reason)"
    case .unavailable(let reason): "the log is unavailable: \(reason)"
    case .rejected(let reason): "the log has rejected the request: \(reason)"
    }
  }
}
