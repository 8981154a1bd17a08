/// The pause before the next attempt: random, and longer after each failure.
///
/// The first attempts at other servers follow almost at once.
package struct LogBackOff {
  private let endpointCount: Int
  private var failureCount = 0

  package init(endpointCount: Int) { self.endpointCount = endpointCount }

  package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
    failureCount += 1
    let round = min((failureCount - 1) / endpointCount, 6)
    let longest = min(10 << round, 500)
    return .milliseconds(1) * Double.random(in: 1...Double(longest), using: &random)
  }
}
