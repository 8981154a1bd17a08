import Foundation
import Tidemark

private let group = "one value"

/// Conversions between values and texts, one by one. C has no equivalent to compare with: the target is the time of
/// a prototype plus a third.
///
/// The prototype ran on another machine, together with the three loops of `Yardsticks.swift`. These loops run here in
/// turn with the conversions, and their times scale the prototype's times to this machine at this moment.
func measureConversions(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  var yardsticks = try yardsticks(folder).map { Measured($0, $0.work) }
  var conversions = try conversions().map { conversion in Measured(conversion) { try conversion.convertAll() } }
  // The loops are short, and the speed of a machine changes from second to second.
  for _ in 0..<(4 * rounds) {
    for index in yardsticks.indices { try yardsticks[index].run() }
    for index in conversions.indices { try conversions[index].run() }
  }
  var scale = 1.0
  for yardstick in yardsticks {
    let time = yardstick.best / Double(yardstick.what.count)
    let ratio = time / yardstick.what.known
    report.add(
      Figure(group: group, name: "yardstick, in C: \(yardstick.what.name)", value: ratio, unit: .ratio, bare: time))
    scale *= pow(ratio, 1 / Double(yardsticks.count))
  }
  report.add(
    Figure(group: group, name: "how much longer than on the machine of the aims", value: scale, unit: .ratio))
  for conversion in conversions {
    report.add(
      Figure(
        group: group, name: conversion.what.name, value: conversion.best / Double(Conversion.count),
        unit: .nanoseconds, target: conversion.what.prototype * 1.3 * scale))
  }
}

/// An operation that is repeated, and its least time.
private struct Measured<What> {
  let what: What
  private let work: () throws -> Void
  private(set) var best = Double.infinity

  init(_ what: What, _ work: @escaping () throws -> Void) {
    self.what = what
    self.work = work
  }

  mutating func run() throws {
    let start = cpuTime()
    try measured(work)
    best = min(best, cpuTime() - start)
  }
}

private struct Conversion {
  static let count = 20_000

  let name: String

  /// The time of the prototype, in nanoseconds.
  let prototype: Double

  /// Converts one of the values.
  let convert: (Int) -> Bool

  func convertAll() throws {
    var sum = 0
    for index in 0..<Self.count where convert(index) { sum &+= 1 }
    precondition(sum == Self.count, "A value was not converted")
  }
}

private func conversions() throws -> [Conversion] {
  let numbers = 0..<Conversion.count
  let dates = numbers.map { Date(timeIntervalSince1970: 1_700_000_000 + Double($0) * 1.001) }
  let urls = try numbers.map { number in
    guard let url = URL(string: "https://example.com/items/\(number)?page=2") else { throw URLError(.badURL) }
    return url
  }
  let dateTexts = dates.map(\.databaseValue)
  let uuidTexts = numbers.map { _ in UUID().uuidString.databaseValue }
  let urlTexts = urls.map(\.databaseValue)
  return [
    Conversion(name: "Date → text", prototype: 67) { !dates[$0].databaseValue.isNull },
    Conversion(name: "text → Date", prototype: 20) { Date.fromDatabaseValue(dateTexts[$0]) != nil },
    Conversion(name: "text → UUID", prototype: 150) { UUID.fromDatabaseValue(uuidTexts[$0]) != nil },
    Conversion(name: "URL → text", prototype: 25) { !urls[$0].databaseValue.isNull },
    Conversion(name: "text → URL", prototype: 289) { URL.fromDatabaseValue(urlTexts[$0]) != nil },
  ]
}
