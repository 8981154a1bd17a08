import Foundation
import StressSupport
import Testing

@testable import SQLiteDB

/// Compares date patterns with `DateFormatter`, which must give the same result wherever a pattern gives one.
///
/// The seed is printed. `TIDEMARK_SEED` replays one, and `TIDEMARK_STRESS=1` makes the comparison larger.
@Suite struct DateFormatterOracleTests {
  private let seed = Scale.seed
  private let formatCount = Scale.of(daily: 400, full: 20_000)

  /// A difference between a pattern and `DateFormatter`.
  struct Difference: CustomStringConvertible {
    let description: String
  }

  /// The numbers of comparisons, and of those in which the pattern gave a result.
  struct Counts {
    var printed = 0
    var parsed = 0
    var all = 0
    var differences: [Difference] = []
  }

  /// Compares both directions, for dates as they are and for damaged texts.
  ///
  /// - Parameter shift: Added to the dates of the patterns. A shift is a defect that the comparison must detect.
  private func compare(seed: UInt64, formatCount: Int, shift: TimeInterval = 0) -> Counts {
    var samples = DateSamples(seed: seed)
    var counts = Counts()
    for _ in 0..<formatCount {
      let (format, timeZone) = (samples.format(), samples.timeZone())
      guard let pattern = DatePattern(format) else { continue }
      let formatter = DateSamples.formatter(format, in: timeZone)
      for _ in 0..<10 {
        let date = samples.date(in: timeZone)
        let expected = formatter.string(from: date)
        counts.all += 1
        if let text = pattern.string(from: date + shift, in: timeZone) {
          counts.printed += 1
          if text != expected {
            counts.differences.append(
              Difference(description: "\(format) \(timeZone.identifier) \(date): \(text), not \(expected)"))
          }
        }
        for text in [expected, samples.damaged(expected)] {
          guard let found = pattern.date(from: text, in: timeZone) else { continue }
          counts.parsed += 1
          let expected = formatter.date(from: text)
          if found + shift != expected {
            let other = expected.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "nil"
            counts.differences.append(
              Difference(
                description:
                  "\(format) \(timeZone.identifier) '\(text)': \(found.timeIntervalSinceReferenceDate), not \(other)"))
          }
        }
      }
    }
    return counts
  }

  @Test func `patterns give the results of DateFormatter`() {
    let counts = compare(seed: seed, formatCount: formatCount)
    print("date patterns: seed \(seed), \(counts.all) dates, \(counts.printed) printed, \(counts.parsed) parsed")
    #expect(counts.differences.isEmpty, "TIDEMARK_SEED=\(seed): \(counts.differences.prefix(5))")
    // The patterns must not leave most of the work to the formatter.
    #expect(counts.printed > counts.all / 2)
    #expect(counts.parsed > counts.all / 8)
  }

  @Test func `the comparison detects a shift of an hour`() {
    let counts = compare(seed: seed, formatCount: 20, shift: 3600)
    #expect(!counts.differences.isEmpty)
  }
}
