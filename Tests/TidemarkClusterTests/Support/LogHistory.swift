import TidemarkCluster

/// Results that clients of one log have received, and a checker of them.
actor LogHistory {
  private var acknowledged: [LogEntry] = []
  private var refused: [LogEntry] = []
  private var readings: [[LogEntry]] = []

  func record(_ result: AppendResult, of entry: LogEntry) {
    switch result {
    case .appended: acknowledged.append(entry)
    case .refused: refused.append(entry)
    case .unknown: break
    }
  }

  func record(reading: [LogEntry]) { readings.append(reading) }

  /// The number of acknowledged entries.
  var acknowledgedCount: Int { acknowledged.count }

  /// The number of refused entries.
  var refusedCount: Int { refused.count }

  /// What contradicts the guarantees of a log.
  ///
  /// - Parameter final: All entries of the log, read after all appends have ended.
  func violations(final: [LogEntry]) -> [String] {
    var violations = brokenLinks(of: final, name: "the final log")
    let counts = Dictionary(final.map { ($0.id, 1) }, uniquingKeysWith: +)
    for entry in acknowledged where counts[entry.id] != 1 || !final.contains(entry) {
      violations.append("entry \(entry.position) was acknowledged, and occurs \(counts[entry.id] ?? 0) times")
    }
    for entry in refused where counts[entry.id] != nil {
      violations.append("entry \(entry.position) was refused, and is in the log")
    }
    for (index, reading) in readings.enumerated() {
      violations += brokenLinks(of: reading, name: "reader \(index)")
      if !final.starts(with: reading) { violations.append("reader \(index) has read another history") }
    }
    return violations
  }

  private func brokenLinks(of entries: [LogEntry], name: String) -> [String] {
    var position = LogPosition.start
    return entries.compactMap { entry in
      defer { position = entry.position }
      return entry.predecessor == position ? nil : "\(name): \(entry.position) does not follow \(position)"
    }
  }
}

/// Several clients append at the same time, while others read.
struct LogWorkload: Sendable {
  var appenders = 4
  var readers = 2

  /// The number of acknowledged entries per appender.
  var entries = 15

  /// Runs the workload, and checks the history.
  ///
  /// - Returns: The violations, and the history.
  func run(_ client: @escaping @Sendable (Int) -> any ReplicatedLog) async throws -> (
    violations: [String], history: LogHistory
  ) {
    let history = LogHistory()
    let total = appenders * entries
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<appenders {
        group.addTask { try await append(to: client(number), by: number, history) }
      }
      let readings = (0..<readers).map { number in
        Task { try? await client(appenders + number).next(total, after: .start) }
      }
      try await group.waitForAll()
      // With a log that loses entries, a reader would wait forever.
      let timer = Task {
        try await Task.sleep(for: .seconds(10))
        for reading in readings { reading.cancel() }
      }
      for reading in readings { await history.record(reading: reading.value ?? []) }
      timer.cancel()
    }
    return (try await history.violations(final: Self.contents(of: client(appenders + readers))), history)
  }

  private func append(to log: any ReplicatedLog, by number: Int, _ history: LogHistory) async throws {
    var position = LogPosition.start
    var count = 0
    while count < entries {
      let entry = LogEntry(after: position, payload: [UInt8(number), UInt8(truncatingIfNeeded: count)])
      let result = try await log.appendUntilDecided(entry)
      await history.record(result, of: entry)
      switch result {
      case .appended(let appended):
        position = appended
        count += 1
      case .refused(let winner): position = winner.position
      case .unknown: break
      }
    }
  }

  /// All entries of a log without discarded ones.
  static func contents(of log: any ReplicatedLog) async throws -> [LogEntry] {
    let last = try await retrying { try await log.barrier(until: .soon) }
    return last == .start ? [] : try await log.next(Int(last.number), after: .start)
  }
}
