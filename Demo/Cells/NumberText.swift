/// Numbers formatted for people, independent of any locale.
enum NumberText {
  /// Formats an integer with thousands separators: 1,234,567.
  static func grouped(_ number: Int64) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  static func grouped(_ number: Int) -> String { grouped(Int64(number)) }

  /// Formats a number with a fixed number of decimals and thousands separators.
  static func fixed(_ number: Double, decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (number.magnitude * scale).rounded()
    guard scaled < 1e15 else { return "\(number)" }
    let units = Int64(scaled)
    let whole = grouped(units / Int64(scale))
    let sign = number < 0 && units != 0 ? "-" : ""
    if decimals == 0 { return sign + whole }
    let rest = String(units % Int64(scale))
    return sign + whole + "." + String(repeating: "0", count: decimals - rest.count) + rest
  }

  /// The number of decimals in the shortest text of a number; nil if this text has an exponent or is not a number.
  static func decimals(of number: Double) -> Int? {
    let text = "\(number)"
    guard number.isFinite, !text.contains("e") else { return nil }
    let decimals = text.drop { $0 != "." }.dropFirst()
    return decimals == "0" ? 0 : decimals.count
  }

  /// Formats a number of bytes with three digits and a unit.
  static func bytes(_ count: Double) -> String {
    scaled(count, [(1, "B"), (0x1p10, "KiB"), (0x1p20, "MiB"), (0x1p30, "GiB"), (0x1p40, "TiB")])
  }

  /// Formats a duration with three digits and a unit.
  static func seconds(_ seconds: Double) -> String {
    scaled(seconds, [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1, "s"), (60, "min"), (3600, "h")])
  }

  /// Formats two durations, the longer one second, with one unit if both have the same: 1.20 / 45.0 ms.
  static func pairOfSeconds(_ first: Double, _ second: Double) -> String {
    let texts = [seconds(first), seconds(second)]
    let parts = texts.map { $0.split(separator: " ") }
    return parts[0].last == parts[1].last ? "\(parts[0][0]) / \(texts[1])" : texts.joined(separator: " / ")
  }

  /// Formats a count briefly: 950, 12.3k, 4.56M.
  static func short(_ count: Double) -> String {
    if count.magnitude < 1000 { return fixed(count, decimals: 0) }
    return scaled(count, [(1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")]).filter { $0 != " " }
  }

  private static func scaled(_ number: Double, _ units: [(Double, String)]) -> String {
    guard number.isFinite, number != 0 else { return "\(number == 0 ? "0" : "\(number)") \(units[0].1)" }
    // Rounding can lead to the next unit: 999.6 µs are 1.00 ms.
    let unit = units.last { number.magnitude >= $0.0 * 0.9995 } ?? units[0]
    let value = number / unit.0
    let isWhole = unit.0 == units[0].0 && value == value.rounded()
    let decimals = isWhole || value.magnitude >= 99.95 ? 0 : value.magnitude >= 9.995 ? 1 : 2
    return fixed(value, decimals: decimals) + " " + unit.1
  }
}

extension Duration {
  /// The duration as a number of seconds.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
