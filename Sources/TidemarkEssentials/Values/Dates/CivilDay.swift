/// A day of the proleptic Gregorian calendar.
///
/// ISO 8601 and SQLite's date functions use this calendar. (Foundation's Gregorian calendar is Julian before
/// 1582-10-15.) The year before year 1 is year 0, which is a leap year.
///
/// The algorithm counts 400-year eras, which all have the same number of days. Years start on March 1, so that the leap
/// day comes last.
struct CivilDay: Equatable {
  var year: Int
  var month: Int
  var day: Int

  private static let daysPerEra = 146_097

  // From 0000-03-01 to 1970-01-01.
  private static let daysBefore1970 = 719_468

  @inline(__always)
  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day that is `days` days after 1970-01-01.
  @inline(__always)
  init(daysSince1970 days: Int) {
    let shifted = days &+ Self.daysBefore1970
    let (era, dayOfEra) = shifted.dividedDown(by: Self.daysPerEra)
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
    day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
    month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
    year = era &* 400 &+ yearOfEra &+ (month <= 2 ? 1 : 0)
  }

  /// Returns the number of days of a month from 1 to 12.
  static func dayCount(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The number of days from 1970-01-01 to this day.
  ///
  /// Months and days out of range carry over to other months and years: 2031-13-40 is 2032-02-09.
  @inline(__always)
  var daysSince1970: Int {
    var year = year
    var monthFromMarch = month &- 3
    if month < 1 || month > 12 {
      let (years, monthFromJanuary) = (month &- 1).dividedDown(by: 12)
      year &+= years
      monthFromMarch = monthFromJanuary &- 2
    }
    if monthFromMarch < 0 {
      monthFromMarch &+= 12
      year &-= 1
    }
    let (era, yearOfEra) = year.dividedDown(by: 400)
    let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
    let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
    return era &* Self.daysPerEra &+ dayOfEra &- Self.daysBefore1970
  }
}

extension Int {
  /// Returns the quotient and the remainder of floored division: the remainder is never negative.
  @inline(__always)
  func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient &- 1, remainder &+ divisor) : (quotient, remainder)
  }
}
