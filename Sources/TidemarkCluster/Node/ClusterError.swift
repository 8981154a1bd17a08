public import Foundation

/// The identity of a replicated transaction whose outcome may be unknown: see ``ClusterDatabase/outcome(of:)``.
public struct ClusterTransactionID: Hashable, Sendable, CustomStringConvertible {
  /// The identity.
  public let id: UUID

  /// The number of the only entry of the log that can contain the transaction.
  public let entryNumber: UInt64

  /// Creates an identity from stored values.
  ///
  /// - Parameters:
  ///   - id: The identity.
  ///   - entryNumber: The number of the only entry that can contain the transaction.
  public init(id: UUID, entryNumber: UInt64) {
    self.id = id
    self.entryNumber = entryNumber
  }

  /// The identity, and the number of the entry.
  public var description: String { "\(id)@\(entryNumber)" }
}

/// The outcome of a replicated transaction.
public enum ClusterOutcome: Hashable, Sendable {
  /// The transaction is committed. It belongs to the entry at this position.
  case committed(LogPosition)

  /// The transaction is not committed, and never will be.
  case notCommitted
}

/// An error of a replicated database.
public enum ClusterError: Error, Hashable, Sendable {
  /// The database is closed.
  case closed

  /// The log could not be reached in time. Nothing was written.
  case unavailable(String)

  /// The log could not be reached in time, or the task was cancelled, while the transaction was being appended. It may
  /// be committed now, later or never: ``ClusterDatabase/outcome(of:)`` decides.
  case outcomeUnknown(ClusterTransactionID)

  /// The transaction is committed in the log, but this node could not commit it in its file: the disk is full, for
  /// instance. The node tries again to apply it.
  case committedElsewhere(LogPosition)

  /// The log does not contain the entries after the position of this node any more, and no snapshot is newer.
  case behindLog(discardedThrough: LogPosition)

  /// The log and this node contain different histories. The node does not write and does not apply entries any more.
  case historyDiverged(String)

  /// Another program has written into the file of this node. The node does not write and does not apply entries any
  /// more.
  case foreignWrite(String)

  /// Another process has opened a node with the name of this one.
  case replaced(node: String)

  /// An entry was written by a later version of the library. Update this program; it continues after this entry then.
  case unsupportedEntry(version: Int)

  /// A cluster cannot begin with the contents of a database, because the log has entries through this position.
  case logNotEmpty(LogPosition)

  /// SQLite has reported an error of the file that does not pass by itself.
  case fileFailed(String)

  /// The file cannot be used for a node.
  case unsuitableFile(String)

  /// The configuration cannot be used for a node, or lacks what an operation requires.
  case unsuitableConfiguration(String)
}

extension ClusterError: CustomStringConvertible {
  /// The error as text for people.
  public var description: String {
    switch self {
    case .closed: "the database is closed"
    case .unavailable(let reason): "the log is unavailable, and nothing was written: \(reason)"
    case .outcomeUnknown(let id): "it is unknown whether transaction \(id) is committed: ask for its outcome"
    case .committedElsewhere(let position):
      "the transaction is committed at \(position), but this node could not store it yet: do not repeat it"
    case .behindLog(let position):
      """
      the log was discarded through \(position), and there is no snapshot after the position of this node: save one on \
      another node
      """
    case .historyDiverged(let reason):
      "the node and the log have different histories: \(reason). Remove the file of the node, and open it again"
    case .foreignWrite(let path):
      """
      another program has written into \(path), or may have: remove the file, and open the node again. Only its node \
      may write into a file
      """
    case .replaced(let node): "another process has opened a node with the name \(node): each node has its own name"
    case .unsupportedEntry(let version):
      "the log contains an entry of version \(version), of a later version of the library: update this program"
    case .logNotEmpty(let position):
      "the log has entries through \(position): a cluster can only begin with the contents of a database if it has none"
    case .fileFailed(let reason): "the file of the node has failed: \(reason)"
    case .unsuitableFile(let reason), .unsuitableConfiguration(let reason): reason
    }
  }
}
