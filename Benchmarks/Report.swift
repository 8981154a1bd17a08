import Foundation

/// A measurement and its target.
struct Figure: Codable {
  /// The group of the measurement: `reading`, `live queries`.
  let group: String

  /// The name of the measurement: `insert: record`.
  let name: String

  let value: Double
  let unit: Unit

  /// The target, if there is one.
  var target: Double?

  /// The times of bare C and of the library, in nanoseconds, if the value is their ratio.
  var bare: Double?
  var library: Double?

  enum Unit: String, Codable {
    case ratio, percent, waste, nanoseconds, microseconds, milliseconds, seconds, bytes, megabytes, count

    /// Shares of a rate are better when they are greater; all others, such as unneeded fetches, are better when they
    /// are less.
    var isBetterWhenGreater: Bool { self == .percent }

    func words(_ value: Double) -> String {
      switch self {
      case .ratio: String(format: "%.2f", value)
      case .percent: String(format: "%.0f %%", value)
      case .waste: String(format: "%.1f %%", value)
      case .nanoseconds: String(format: "%.0f ns", value)
      case .microseconds: String(format: "%.2f µs", value)
      case .milliseconds: String(format: "%.2f ms", value)
      case .seconds: String(format: "%.1f s", value)
      case .bytes: String(format: "%.0f B", value)
      case .megabytes: String(format: "%.1f MB", value)
      case .count: String(format: "%.0f", value)
      }
    }
  }

  /// Whether the target was missed.
  var isMissed: Bool {
    guard let target else { return false }
    return unit.isBetterWhenGreater ? value < target : value > target
  }
}

/// All measurements of a run: printed one by one, then as a list of missed targets, and stored as JSON.
final class Report {
  private(set) var figures: [Figure] = []
  private var group: String?

  func add(_ figure: Figure) {
    if figure.group != group {
      group = figure.group
      print("\n" + pad(figure.group, 48), pad("C", 12), pad("library", 12), pad("result", 10), "target")
    }
    figures.append(figure)
    print(
      pad("  " + figure.name, 48), pad(figure.bare.map(Figure.Unit.nanoseconds.words) ?? "", 12),
      pad(figure.library.map(Figure.Unit.nanoseconds.words) ?? "", 12), pad(figure.unit.words(figure.value), 10),
      figure.target.map { figure.unit.words($0) + (figure.isMissed ? "  missed" : "") } ?? "")
    // Written after each measurement, so that an aborted run leaves its results.
    fflush(nil)
  }

  /// Ends the run with a list of missed targets.
  func printMissed() {
    let missed = figures.filter(\.isMissed)
    let aimed = figures.count { $0.target != nil }
    print("\n\(aimed - missed.count) of \(aimed) targets are met.", missed.isEmpty ? "" : "Missed:")
    for figure in missed {
      let target = figure.target.map(figure.unit.words) ?? ""
      print(" ", pad("\(figure.group): \(figure.name)", 64), pad(figure.unit.words(figure.value), 10), target)
    }
  }

  /// Writes all measurements to a file.
  func write(to path: String, commit: String) throws {
    struct Document: Codable {
      let commit: String
      let date: String
      let processors: Int
      let figures: [Figure]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let document = Document(
      commit: commit, date: Date.now.formatted(.iso8601), processors: ProcessInfo.processInfo.activeProcessorCount,
      figures: figures)
    try encoder.encode(document).write(to: URL(filePath: path))
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text.count < width ? text + String(repeating: " ", count: width - text.count) : text
  }
}
