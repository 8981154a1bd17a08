public import Foundation

/// The identity of a replicated transaction whose outcome is unknown: see ``ClusterDatabase/outcome(of:timeLimit:)``.
///
/// It is valid on all nodes, and after a restart. To decide an outcome later, store both properties.
public struct ClusterTransactionID: Hashable, Sendable, CustomStringConvertible {
  /// The identity.
  public let id: UUID

  /// The number of the only entry of the log that can contain the transaction.
  public let entryNumber: UInt64

  /// Creates an identity from stored values.
  ///
  /// ```swift
  /// let text = "\(transaction.id)@\(transaction.entryNumber)"
  /// let parts = text.split(separator: "@")
  /// if let id = UUID(uuidString: String(parts[0])), let number = UInt64(parts[1]) {
  ///   print(try await database.outcome(of: ClusterTransactionID(id: id, entryNumber: number)))
  /// }
  /// ```
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

/// The outcome of a replicated transaction. It does not change any more.
public enum ClusterOutcome: Hashable, Sendable {
  /// The transaction is committed. It belongs to the entry at this position.
  case committed(LogPosition)

  /// The transaction is not committed, and never will be.
  case notCommitted
}

/// An error of a replicated database.
///
/// For the caller of a write, there are three kinds of errors:
///
/// ```swift
/// switch error {
/// case ClusterError.outcomeUnknown(let transaction):
///   // It may be committed. Decide this before the write is repeated.
///   try await retryUnlessCommitted(transaction)
/// case ClusterError.committedElsewhere:
///   // It is committed. This node shows it later.
///   break
/// case ClusterError.unavailable, ClusterError.behindLog, is CancellationError:
///   // Nothing is written. The same node can be tried again later, and another node now.
///   try await retryLater()
/// default:
///   // Nothing is written. The node must be opened again, or its program be changed.
///   throw error
/// }
/// ```
///
/// ``closed``, ``historyDiverged(_:)``, ``foreignWrite(_:)``, ``replaced(node:)``, ``unsupportedEntry(version:)`` and
/// ``fileFailed(_:)`` end a node: ``ClusterDatabase/state`` is ``ClusterState/stopped(_:)`` or ``ClusterState/closed``
/// then, and all writes throw the error.
public enum ClusterError: Error, Hashable, Sendable {
  /// The database is closed.
  case closed

  /// The log could not be reached in time, or has rejected the request. Nothing was written, and nothing will be.
  ///
  /// Try again later. If the text names a rejection, such as a wrong password or a full store, remove its cause first.
  case unavailable(String)

  /// The log could not be reached in time, the task was cancelled, or the node was closed, while the transaction was
  /// being appended. It may be committed now, later or never.
  ///
  /// Do not repeat the write before ``ClusterDatabase/outcome(of:timeLimit:)`` has decided.
  case outcomeUnknown(ClusterTransactionID)

  /// The transaction is committed in the log, but this node could not commit it in its file: the disk is full, for
  /// instance.
  ///
  /// Do not repeat the write. The node applies it when the file can be written, and
  /// ``ClusterDatabase/read(after:timeLimit:_:)`` waits for this.
  case committedElsewhere(LogPosition)

  /// The log does not contain the entries after the position of this node any more, and no snapshot contains them.
  /// Nothing was written.
  ///
  /// Save a snapshot on another node. This node installs it, and continues.
  case behindLog(discardedThrough: LogPosition)

  /// The log and this node contain different histories: the log was lost or restored, or this is another log. The node
  /// does not write and does not apply entries any more.
  ///
  /// If the log is the right one, remove the file, and open the node again.
  case historyDiverged(String)

  /// Another program has written into the file of this node, or may have. The node does not write and does not apply
  /// entries any more.
  ///
  /// Find out which program it was, remove the file, and open the node again.
  case foreignWrite(String)

  /// Another process has opened a node with the name of this one.
  ///
  /// Give each node a name of its own, and open this one again.
  case replaced(node: String)

  /// An entry was written by a later version of the library.
  ///
  /// Update this program, and open the node again: it continues with this entry.
  case unsupportedEntry(version: Int)

  /// A cluster cannot begin with the contents of a database, because the log has entries through this position.
  ///
  /// Open nodes, if the cluster has begun already. Otherwise, use a log without entries.
  case logNotEmpty(LogPosition)

  /// SQLite has reported an error of the file that does not pass by itself, such as a damaged file.
  ///
  /// Remove the file, and open the node again: it begins with a snapshot.
  case fileFailed(String)

  /// The file cannot be used for a node. The text says why, and what to do.
  case unsuitableFile(String)

  /// The configuration cannot be used for a node, or lacks something that an operation requires.
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
      this node requires a snapshot of \(position) or a later position, and has found none: save one on another node, \
      and check the store in the configuration of this one
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
