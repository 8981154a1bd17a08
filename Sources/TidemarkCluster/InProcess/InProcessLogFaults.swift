/// The faults of the connection between a client and an ``InProcessLog``.
///
/// Each probability is between 0 and 1, and belongs to one request. By default, all of them are 0.
///
/// ```swift
/// var faults = InProcessLogFaults.all(0.1)
/// faults.delay = .milliseconds(5)
/// let client = InProcessLog().client(faults: faults, seed: 1)
/// ```
///
/// A node over a client with these faults loses no write, and executes none twice: only its writes take longer.
public struct InProcessLogFaults: Hashable, Sendable {
  /// A request does not arrive. The result of an append is ``AppendResult/unknown``, without effect.
  public var lostRequests = 0.0

  /// A request is executed, but its result does not arrive. The result of an append is ``AppendResult/unknown``, with
  /// effect.
  public var lostResults = 0.0

  /// An append is executed some time after its result, ``AppendResult/unknown``: before a later request of any client.
  public var lateAppends = 0.0

  /// An append is executed twice.
  public var duplicatedAppends = 0.0

  /// A read returns an old state.
  public var staleReads = 0.0

  /// The number of entries that a stale read misses at most.
  public var staleEntries = 3

  /// The longest delay before a request arrives, and before its result arrives.
  public var delay = Duration.zero

  /// Creates a description without faults.
  public init() {}

  /// All faults, each with the same probability.
  ///
  /// - Parameter probability: The probability of each fault.
  /// - Returns: The faults, without delays.
  public static func all(_ probability: Double) -> InProcessLogFaults {
    var faults = InProcessLogFaults()
    faults.lostRequests = probability
    faults.lostResults = probability
    faults.lateAppends = probability
    faults.duplicatedAppends = probability
    faults.staleReads = probability
    return faults
  }
}

/// The faults of one request, which are chosen before it is sent.
struct RequestFaults {
  enum Fate {
    case delivered, duplicated, requestLost, resultLost, late
  }

  var fate: Fate
  var delayBefore: Duration
  var delayAfter: Duration
  var missedEntries: UInt64

  /// Chooses the faults of a request. The same number of random numbers is used for every request.
  init(_ faults: InProcessLogFaults, using random: inout LogRandom) {
    let choices: [(Double, Fate)] = [
      (faults.lostRequests, .requestLost), (faults.lostResults, .resultLost), (faults.lateAppends, .late),
      (faults.duplicatedAppends, .duplicated),
    ]
    fate = choices.reduce(.delivered) { random.happens($1.0) ? $1.1 : $0 }
    delayBefore = faults.delay * Double.random(in: 0...1, using: &random)
    delayAfter = faults.delay * Double.random(in: 0...1, using: &random)
    let missed = UInt64.random(in: 1...UInt64(max(1, faults.staleEntries)), using: &random)
    missedEntries = random.happens(faults.staleReads) ? missed : 0
  }
}
