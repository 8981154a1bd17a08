/// The result of a check.
enum CommitCheckResult: Equatable {
  /// No external commit was made since the last check.
  case unchanged

  /// There was an external commit.
  case externalCommit

  /// A commit is in progress, or the connection is in use: check again.
  case inconclusive

  /// The file was moved or removed.
  case fileMoved
}

/// Checks a database for external commits. One thread uses it at a time.
protocol ExternalCommitDetector: AnyObject, Sendable {
  /// The connection that it shares with other detectors, if there may be others.
  var sharedConnection: CommitDetectionConnection? { get }

  /// Performs a check. The first one has nothing to compare with, and finds nothing.
  ///
  /// - Parameter waitsForOwnCommit: Whether to wait for an own commit that has not ended.
  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult

  /// Reports that a connection is about to read for live queries, or has begun to.
  ///
  /// - Returns: Whether external commits after its snapshot will be detected.
  func begin(with db: Database) -> Bool

  /// Releases its resources. It can be used again.
  func releaseResources()
}

extension ExternalCommitDetector {
  var sharedConnection: CommitDetectionConnection? { nil }
  func releaseResources() {}
}

/// What triggers the checks.
enum CommitDetectionMode: Hashable, Sendable {
  /// The system reports file events. Checks also run at an interval.
  case fileEvents(pollingInterval: Duration)

  /// The system cannot report file events.
  case frequentPolling

  /// Checks run at an interval.
  case polling(Duration)

  /// The mode that a configuration asks for; nil if external commits are not detected.
  init?(_ detection: Configuration.ExternalCommitDetection, _ environment: Environment) {
    switch detection {
    case .disabled: return nil
    case .immediate where environment.usesFileEvents:
      self = .fileEvents(pollingInterval: environment.commitPollingInterval)
    case .immediate: self = .frequentPolling
    case .polling(let interval): self = .polling(interval)
    }
  }

  /// The mode of attached databases: their files may be anywhere, and change with each `ATTACH`.
  var withoutFileEvents: CommitDetectionMode {
    switch self {
    case .fileEvents, .frequentPolling: .frequentPolling
    case .polling: self
    }
  }
}
