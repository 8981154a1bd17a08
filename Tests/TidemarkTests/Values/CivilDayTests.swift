import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct CivilDayTests {
  @Test func randomDaysMatchSQLite() throws {
    var random = ValueRandom()
    try DatabaseQueue().read { db in
      for _ in 0..<2000 {
        // From year -4713 to year 9999.
        let days = Int.random(in: -2_440_000...2_932_896, using: &random)
        let day = CivilDay(daysSince1970: days)
        let expected = try String.fetchOne(db, sql: "SELECT date(? * 86400, 'unixepoch')", arguments: [days])
        var text = DateText(format: .YMD)
        (text.year, text.month, text.day) = (day.year, day.month, day.day)
        // On thirteen days before year 301, one in 400 years, SQLite 3.40 finds a February 29th in a common year.
        if day.month == 3, day.day == 1, day.year <= 300, expected != text.text {
          #expect(expected == text.text.replacing("-03-01", with: "-02-29"))
        } else {
          #expect(text.text == expected)
        }
        #expect(day.daysSince1970 == days)
      }
    }
  }

  @Test func randomDaysSince1582MatchFoundation() throws {
    var random = ValueRandom()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for _ in 0..<2000 {
      let days = Int.random(in: -141_427...10_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(days) * 86_400)
      let components = calendar.dateComponents([.year, .month, .day], from: date)
      let day = CivilDay(daysSince1970: days)
      #expect(day.year == components.year)
      #expect(day.month == components.month)
      #expect(day.day == components.day)
    }
  }

  @Test func daysAreConsecutive() {
    // 400 years and a bit on either side of year 0.
    var previous = CivilDay(daysSince1970: -900_001)
    for days in -900_000 ... -500_000 {
      let day = CivilDay(daysSince1970: days)
      let isNextDay = day.year == previous.year && day.month == previous.month && day.day == previous.day + 1
      let isNextMonth = day.year == previous.year && day.month == previous.month + 1 && day.day == 1
      let isNextYear = day == CivilDay(year: previous.year + 1, month: 1, day: 1) && previous.month == 12
      if !(isNextDay || isNextMonth && previous.day >= 28 || isNextYear && previous.day == 31) {
        Issue.record("\(day) does not follow \(previous)")
      }
      if day.daysSince1970 != days { Issue.record("\(day) is not \(days)") }
      previous = day
    }
  }

  @Test(arguments: [(1900, 28), (2000, 29), (2100, 28), (0, 29), (4, 29), (-4, 29), (-100, 28), (2023, 28), (2024, 29)])
  func februaryHasTheRightLength(year: Int, length: Int) {
    let march = CivilDay(year: year, month: 3, day: 1).daysSince1970
    #expect(CivilDay(daysSince1970: march - 1) == CivilDay(year: year, month: 2, day: length))
  }

  @Test(arguments: [
    ((2031, 13, 40), (2032, 2, 9)), ((2031, 0, 1), (2030, 12, 1)), ((2031, 1, 0), (2030, 12, 31)),
    ((2031, 99, 99), (2039, 6, 7)), ((2031, -11, 1), (2030, 1, 1)), ((2023, 2, 29), (2023, 3, 1)),
    // SQLite 3.40 prints these two.
    ((300, 2, 29), (300, 3, 1)), ((-3300, 2, 29), (-3300, 3, 1)),
  ])
  func fieldsOutOfRangeRollOver(fields: (Int, Int, Int), day: (Int, Int, Int)) {
    let days = CivilDay(year: fields.0, month: fields.1, day: fields.2).daysSince1970
    #expect(CivilDay(daysSince1970: days) == CivilDay(year: day.0, month: day.1, day: day.2))
  }
}
