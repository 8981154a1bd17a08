/// A measurement with its name, and with a short name for narrow panes.
struct FigureLine: Equatable {
  var name: String
  var shortName: String
  var value: String

  init(_ name: String, _ value: String, short: String? = nil) {
    self.name = name
    self.value = value
    shortName = short ?? name
  }
}

extension Figures {
  /// All measurements with their names, the most important ones first.
  var lines: [FigureLine] {
    var lines = node?.lines ?? []
    lines += [
      FigureLine("commits", NumberText.grouped(commitCount)),
      FigureLine("observations", NumberText.grouped(observationCount)),
      FigureLine("queries woken by a commit", wakes, short: "woken"),
      FigureLine(
        "fetches / shared", "\(NumberText.grouped(fetchCount)) / \(NumberText.grouped(sharedFetchCount))",
        short: "fetches"),
    ]
    if let toScreen {
      lines.append(FigureLine("commit → screen, p50 / p99", text(toScreen), short: "screen p50/p99"))
    }
    lines += [
      FigureLine("commit → value, p50 / p99", text(toValue), short: "value p50/p99"),
      FigureLine("readers busy / WAL", "\(busyReaderCount) of \(readerCountMax) / \(log)", short: "readers"),
    ]
    if let writes { lines.append(FigureLine("write, p50 / p99", text(writes), short: "write p50/p99")) }
    lines.append(FigureLine("wakes", NumberText.grouped(wakeCount)))
    if failureCount > 0 { lines.append(FigureLine("failed fetches", NumberText.grouped(failureCount))) }
    return lines
  }

  private var wakes: String {
    guard let wakesPerCommit else { return "–" }
    return "\(NumberText.fixed(wakesPerCommit, decimals: 1)) of \(NumberText.grouped(queryCount))"
  }

  private var log: String { logSize.map { NumberText.bytes(Double($0)) } ?? "–" }

  private func text(_ quantiles: Quantiles?) -> String {
    guard let quantiles else { return "–" }
    return NumberText.pairOfSeconds(quantiles.p50, quantiles.p99)
  }
}
