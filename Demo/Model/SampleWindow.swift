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

  /// The sample that a part of all does not exceed; nil when there is none.
  func quantile(_ part: Double) -> Double? {
    if samples.isEmpty { return nil }
    let index = Int((Double(samples.count) * part).rounded(.up)) - 1
    return samples.sorted()[max(0, index)]
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
