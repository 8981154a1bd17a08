import StressSupport

/// What fails for a moment. Members 0 to 2 are servers, 3 to 5 are nodes.
enum ClusterFault: Hashable {
  case killedNode(Int)
  case stoppedNode(Int)
  case killedServer(Int)
  case stoppedServer(Int)
  case killedLeader
  case stoppedLeader
  case restartOfAllServers
  case restartOfAll

  /// These members are separated from the others.
  case split([Int])

  /// A random fault.
  ///
  /// - Parameter withSplits: Whether the network can be split.
  static func random(_ numbers: inout RandomNumbers, withSplits: Bool) -> ClusterFault {
    switch numbers.below(withSplits ? 12 : 9) {
    case 0, 1: .killedNode(numbers.below(3))
    case 2: .stoppedNode(numbers.below(3))
    case 3: .killedServer(numbers.below(3))
    case 4: .stoppedServer(numbers.below(3))
    case 5: .killedLeader
    case 6: .stoppedLeader
    case 7: .restartOfAllServers
    case 8: .restartOfAll
    case 9: .split([numbers.below(3)])
    case 10: .split([3 + numbers.below(3)])
    default: .split((0..<6).filter { _ in numbers.once(in: 2) })
    }
  }
}
