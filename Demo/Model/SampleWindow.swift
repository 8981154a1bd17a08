/// The last samples of something that is measured again and again.
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

  /// The samples that parts of all do not exceed; empty when there is none.
  func quantiles(_ parts: Double...) -> [Double] {
    if samples.isEmpty { return [] }
    let sorted = samples.sorted()
    return parts.map { sorted[max(0, Int((Double(sorted.count) * $0).rounded(.up)) - 1)] }
  }
}

/// How fast a counter that only grows is growing.
struct Rate: Sendable {
  private var last: (count: Int, at: ContinuousClock.Instant)?

  /// The growth per second since the last time; nil the first time.
  mutating func measure(_ count: Int, at now: ContinuousClock.Instant) -> Double? {
    defer { last = (count, now) }
    guard let last, now > last.at else { return nil }
    return Double(count - last.count) / (now - last.at).inSeconds
  }
}
