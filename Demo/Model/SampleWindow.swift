/// The most recent samples of a measurement.
struct SampleWindow: Equatable, Sendable {
  private let countMax: Int
  private(set) var samples: [Double] = []

  init(countMax: Int) {
    self.countMax = countMax
  }

  mutating func add(_ sample: Double) {
    if samples.count == countMax { samples.removeFirst() }
    samples.append(sample)
  }

  /// The given quantiles of the samples; empty without samples.
  func quantiles(_ parts: Double...) -> [Double] {
    if samples.isEmpty { return [] }
    let sorted = samples.sorted()
    return parts.map { sorted[max(0, Int((Double(sorted.count) * $0).rounded(.up)) - 1)] }
  }
}

/// The growth rate of a counter that never decreases.
struct Rate: Sendable {
  private var last: (count: Int, at: ContinuousClock.Instant)?

  /// The growth per second since the last call; nil in the first call.
  mutating func measure(_ count: Int, at now: ContinuousClock.Instant) -> Double? {
    defer { last = (count, now) }
    guard let last, now > last.at else { return nil }
    return Double(count - last.count) / (now - last.at).inSeconds
  }
}
