@testable import TidemarkCluster

extension ClusterError {
  /// The transaction whose outcome is unknown; nil for other errors.
  var unknownTransaction: ClusterTransactionID? { if case .outcomeUnknown(let id) = self { id } else { nil } }

  /// Whether the log could not be reached, and nothing was written.
  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}
