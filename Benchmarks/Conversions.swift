import Foundation
import Tidemark

/// Values to texts and back, one by one. There is no such thing in C to compare them with: what is aimed at is what a
/// prototype took, and a third more.
func measureConversions(rounds: Int, _ report: Report) throws {
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
      Figure(group: "one value", name: name, value: best, unit: .nanoseconds, target: prototype * 1.3))
  }
  add("Date → text", 67) { !dates[$0].databaseValue.isNull }
  add("text → Date", 20) { Date.fromDatabaseValue(dateTexts[$0]) != nil }
  add("text → UUID", 150) { UUID.fromDatabaseValue(uuidTexts[$0]) != nil }
  add("URL → text", 25) { !urls[$0].databaseValue.isNull }
  add("text → URL", 289) { URL.fromDatabaseValue(urlTexts[$0]) != nil }
  precondition(sum == 5 * count * rounds, "A value was not converted")
}
