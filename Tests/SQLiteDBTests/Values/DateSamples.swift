import Foundation
import StressSupport

/// Random formats, dates, time zones and texts, for comparisons with `DateFormatter`.
struct DateSamples {
  private(set) var random: RandomNumbers

  init(seed: UInt64) { random = RandomNumbers(seed: seed) }

  static func formatter(_ format: String, in timeZone: TimeZone) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = timeZone
    formatter.dateFormat = format
    return formatter
  }

  private static let knownFormats = [
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ssZ", "yyyyMMddHHmmssSSS",
    "yyyy-MM-dd'T'HH:mm:ss'Z'", "yyyy-MM-dd'T'HH:mm:ssXXX", "EEE, dd MMM yyyy HH:mm:ss Z", "MM/dd/yyyy hh:mm a",
    "d MMMM yyyy, h:mm:ss a", "yy/MM/dd", "HH:mm", "yyyyMMdd", "dd.MM.yyyy HH:mm:ss,SSS",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSx",
    "EEEE d MMM yyyy", "d MMM yyyy EEE", "yyyy-MM-dd hh:mm:ss a xxx", "MMM d, yyyy", "yyyy", "yyyy-MM",
  ]

  // Written in one piece, it would look like a mark of unfinished work.
  private static let offsetWithColon = String(repeating: "X", count: 3)

  private static let fields = [
    "y", "yy", "yyy", "yyyy", "M", "MM", "MMM", "MMMM", "d", "dd", "H", "HH", "h", "hh", "m", "mm", "s", "ss", "S",
    "SS",
    "SSS", "SSSSSS", "a", "E", "EEE", "EEEE", "Z", "ZZZZZ", "X", "XX", offsetWithColon, "x", "xx", "xxx", "MMMMM",
    "EEEEE",
    "yyyyy",
  ]

  private static let literals = [
    " ", "-", "/", ":", ".", ",", ", ", "'T'", "'Z'", "'of'", "''", "' at '", "_", "(", "", "", " - ", "'x'", "+",
    "'E'",
    "'1'", "  ", "--", "'.5'", "'M'", "'uary'", "'a''b'",
  ]

  /// Returns one of the formats that programs use, or a random one.
  mutating func format() -> String {
    if random.once(in: 3) { return pick(Self.knownFormats) }
    var format = random.once(in: 6) ? pick(Self.literals) : ""
    if random.once(in: 2) {
      // A date and a time in the usual order, with any separators.
      for part in [
        ["y", "yyyy", "yy"], ["M", "MM", "MMM", "MMMM"], ["d", "dd"], ["H", "HH"], ["m", "mm"], ["s", "ss"],
      ] {
        format += pick(part) + pick(Self.literals)
        if random.once(in: 8) { break }
      }
      if random.once(in: 2) { format += pick(["S", "SSS", "a", "Z", "X", Self.offsetWithColon, "x", "EEE"]) }
    } else {
      for _ in 0...random.below(6) { format += pick(Self.fields) + pick(Self.literals) }
    }
    return format
  }

  private static let timeZones = [
    "GMT", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu",
    "America/St_Johns", "Pacific/Kiritimati", "Africa/Monrovia", "America/Caracas", "Europe/Dublin", "Asia/Tehran",
  ]

  mutating func timeZone() -> TimeZone {
    let minutes = random.below(28 * 60) - 14 * 60
    let fixed = TimeZone(secondsFromGMT: 60 * minutes) ?? .gmt
    return random.once(in: 4) ? fixed : TimeZone(identifier: pick(Self.timeZones)) ?? .gmt
  }

  /// Returns a date of the years 1 to 10000: of any time, near a change of the offset, or of our century.
  mutating func date(in timeZone: TimeZone) -> Date {
    switch random.below(6) {
    case 0: return Date(timeIntervalSince1970: .random(in: -62_135_596_800...253_402_400_000, using: &random))
    case 1, 2:
      let start = Date(timeIntervalSince1970: .random(in: -2_000_000_000...6_000_000_000, using: &random))
      guard let change = timeZone.nextDaylightSavingTimeTransition(after: start) else { return start }
      return change + Double(random.below(400_000) - 200_000)
    case 3: return Date(timeIntervalSince1970: Double(random.below(4_000_000_000)))
    case 4: return Date(timeIntervalSince1970: Double(random.below(4_000_000_000_000)) / 1000)
    default: return Date(timeIntervalSinceReferenceDate: .random(in: -3_000_000_000...3_000_000_000, using: &random))
    }
  }

  /// Returns a text with a few characters changed, removed, doubled or inserted.
  mutating func damaged(_ text: String) -> String {
    var characters = Array(text)
    for _ in 0...random.below(3) {
      let position = characters.isEmpty ? 0 : random.below(characters.count)
      let other = pick(Array("0123456789-+:. ,TZaAMPjJ/é٣\u{A0}"))
      switch random.below(4) {
      case 0 where !characters.isEmpty: characters[position] = other
      case 1 where !characters.isEmpty: characters.remove(at: position)
      case 2 where !characters.isEmpty: characters.insert(characters[position], at: position)
      default: characters.insert(other, at: position)
      }
    }
    return random.once(in: 10) ? String(characters).lowercased() : String(characters)
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }
}
