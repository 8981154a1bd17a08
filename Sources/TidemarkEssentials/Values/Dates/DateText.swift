/// The fields of a date text, before they become a `Date` or `DateComponents`.
///
/// ## Supported texts
///
/// | Text | Note |
/// | --- | --- |
/// | `YYYY-MM-DD` | |
/// | `YYYY-MM-DD HH:MM` | one space, or one `T`, between date and time |
/// | `YYYY-MM-DD HH:MM:SS` | |
/// | `YYYY-MM-DD HH:MM:SS.S…` | one or more digits, truncated (not rounded) to milliseconds |
/// | `HH:MM`, `HH:MM:SS`, `HH:MM:SS.S…` | not a `Date`: SQLite assumes the year 2000, Tidemark does not guess |
/// | any of these with a time, followed by `Z`, `z`, `+HH:MM` or `-HH:MM` | without a space before the zone |
/// | `-YYYY-MM-DD…`, `-YYYYY-MM-DD…`, `+YYYYY-MM-DD…` | years before 0000 and after 9999: see below |
///
/// Fields have fixed widths. The parser accepts any digits, and `isInCalendar` rejects invalid days and times:
/// `2031-13-40`, `25:61`, `24:00`, and `2031-02-29`, which SQLite interprets as March 1. All texts that SQLite's
/// functions `date`, `time` and `datetime` return are valid.
///
/// ## Unsupported texts
///
/// | Text | SQLite's functions |
/// | --- | --- |
/// | `2031-4-9`, `7:05`, `03.`, `-0200`, `20310409`, `t` between date and time, `2031-04-09Z` | reject it |
/// | a space at the end or before the zone, or not exactly one space before the time | accept it |
/// | `now`, and numbers (`2460000.5`, `1000`) | accept it as the current date, or as a Julian day |
/// | a zone offset of more than 18 hours | reject it (from 15 hours) |
///
/// ## Years outside of 0000–9999
///
/// These years have a sign, as in the expanded format of ISO 8601: `-0001-12-31`, `-12000-01-01`, `+10000-01-01`.
/// SQLite reads and writes negative years down to -4713 in this format; it does not support other years. (Its date
/// arithmetic is off by one day in some centuries before year 0.) These texts do not sort chronologically with other
/// dates.
struct DateText: Equatable {
  /// The fields of the text. All other fields have their initial values.
  var format: DatabaseDateComponents.Format
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0

  /// The offset of the time zone from UTC in seconds, positive in the east; nil if the text has none.
  var zone: Int?

  init(format: DatabaseDateComponents.Format) {
    self.format = format
  }

  /// Whether the day and the time are valid.
  @inline(__always)
  var isInCalendar: Bool {
    guard hour < 24, minute < 60, second < 60, month >= 1, month <= 12, day >= 1 else { return false }
    return day <= 28 || day <= CivilDay.dayCount(ofMonth: month, year)
  }

  /// Whether SQLite's functions read the year of the text, if it has one.
  var hasYearOfSQLite: Bool { !format.hasDate || -4713...9999 ~= year }

  /// Returns the date; nil for texts without a day.
  @inline(__always)
  var millisecondsSince1970: Int? {
    guard format.hasDate else { return nil }
    let days = CivilDay(year: year, month: month, day: day).daysSince1970
    let seconds = ((days &* 24 &+ hour) &* 60 &+ minute) &* 60 &+ second &- (zone ?? 0)
    return seconds &* 1000 &+ millisecond
  }
}

extension DatabaseDateComponents.Format {
  /// Whether the format has year, month and day.
  @inline(__always)
  var hasDate: Bool {
    switch self {
    case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
    case .HM, .HMS, .HMSS: false
    }
  }

  /// Whether the format has hour and minute.
  var hasTime: Bool { self != .YMD }

  /// Whether the format has seconds.
  var hasSecond: Bool {
    switch self {
    case .YMD_HMS, .YMD_HMSS, .HMS, .HMSS: true
    case .YMD, .YMD_HM, .HM: false
    }
  }

  /// Whether the format has milliseconds.
  var hasMillisecond: Bool { self == .YMD_HMSS || self == .HMSS }
}
