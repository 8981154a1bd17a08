/// A figure with its name, and with a short one for narrow panes.
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
  /// Every figure with its name, the most telling ones first.
  var lines: [FigureLine] {
    var lines = [
      FigureLine("commits", NumberText.grouped(commitCount)),
      FigureLine("observations", NumberText.grouped(observationCount)),
      FigureLine(
        "woken by a commit", wakesPerCommit.map { NumberText.fixed($0, decimals: 1) } ?? "–", short: "woken"),
      FigureLine("fetches", NumberText.grouped(fetchCount)),
      FigureLine("shared fetches", NumberText.grouped(sharedFetchCount), short: "shared"),
      FigureLine("commit → value, p50 / p99", text(toValue), short: "value p50/99"),
    ]
    if let toScreen = toScreen {
      lines.append(FigureLine("commit → screen, p50 / p99", text(toScreen), short: "screen p50/99"))
    }
    lines.append(FigureLine("readers busy", "\(busyReaderCount) of \(readerCountMax)"))
    lines.append(FigureLine("WAL", logSize.map { NumberText.bytes(Double($0)) } ?? "–"))
    if let writes = writes { lines.append(FigureLine("write, p50 / p99", text(writes), short: "write p50/99")) }
    lines.append(FigureLine("queries", NumberText.grouped(queryCount)))
    lines.append(FigureLine("wakes", NumberText.grouped(wakeCount)))
    if failureCount > 0 { lines.append(FigureLine("failed fetches", NumberText.grouped(failureCount))) }
    return lines
  }

  private func text(_ quantiles: Quantiles?) -> String {
    guard let quantiles else { return "–" }
    return NumberText.pairOfSeconds(quantiles.p50, quantiles.p99)
  }
}
