import Foundation
import Tidemark

private let group = "one value"

/// Values to texts and back, one by one. There is no such thing in C to compare them with: what is aimed at is what a
/// prototype took, and a third more.
///
/// The prototype ran on another machine. What C took there is known, for three loops that are run here, too: they tell
/// what the prototype would have taken on this machine.
func measureConversions(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  let scale = try measureYardsticks(folder, rounds: rounds, report)
  let count = 20_000
  let dates = (0..<count).map { Date(timeIntervalSince1970: 1_700_000_000 + Double($0) * 1.001) }
  let uuids = (0..<count).map { _ in UUID() }
  let urls = try (0..<count).map { number in
    guard let url = URL(string: "https://example.com/items/\(number)?page=2") else { throw URLError(.badURL) }
    return url
  }
  let dateTexts = dates.map(\.databaseValue)
  let uuidTexts = uuids.map(\.uuidString.databaseValue)
  let urlTexts = urls.map(\.databaseValue)
  var sum = 0
  func add(_ name: String, _ prototype: Double, _ convert: (Int) -> Bool) {
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = cpuTime()
      for index in 0..<count where convert(index) { sum &+= 1 }
      best = min(best, (cpuTime() - start) / Double(count))
    }
    report.add(
      Figure(
        group: group, name: name, value: best, unit: .nanoseconds, target: prototype * 1.3 * scale))
  }
  add("Date → text", 67) { !dates[$0].databaseValue.isNull }
  add("text → Date", 20) { Date.fromDatabaseValue(dateTexts[$0]) != nil }
  add("text → UUID", 150) { UUID.fromDatabaseValue(uuidTexts[$0]) != nil }
  add("URL → text", 25) { !urls[$0].databaseValue.isNull }
  add("text → URL", 289) { URL.fromDatabaseValue(urlTexts[$0]) != nil }
  precondition(sum == 5 * count * rounds, "A value was not converted")
}

/// How much longer C takes here than on the machine of the aims.
private func measureYardsticks(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws -> Double {
  let yardsticks = try yardsticks(folder)
  var best = yardsticks.map { _ in Double.infinity }
  for _ in 0..<rounds {
    for (index, yardstick) in yardsticks.enumerated() {
      let start = cpuTime()
      try measured(yardstick.work)
      best[index] = min(best[index], (cpuTime() - start) / Double(yardstick.count))
    }
  }
  var scale = 1.0
  for (index, yardstick) in yardsticks.enumerated() {
    report.add(
      Figure(
        group: group, name: "yardstick, in C: \(yardstick.name)", value: best[index] / yardstick.known, unit: .ratio,
        bare: best[index]))
    scale *= pow(best[index] / yardstick.known, 1 / Double(yardsticks.count))
  }
  report.add(
    Figure(group: group, name: "how much longer than on the machine of the aims", value: scale, unit: .ratio))
  return scale
}
