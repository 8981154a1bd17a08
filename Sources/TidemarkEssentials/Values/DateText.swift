/// What a date text of the database says, field by field, before it becomes a `Date` or
/// `DateComponents`.
///
/// ## Texts that are read
///
/// | Text | Note |
/// | --- | --- |
/// | `YYYY-MM-DD` | |
/// | `YYYY-MM-DD HH:MM` | one space, or one `T`, between date and time |
/// | `YYYY-MM-DD HH:MM:SS` | |
/// | `YYYY-MM-DD HH:MM:SS.S…` | one digit or more, cut (not rounded) to the millisecond |
/// | `HH:MM`, `HH:MM:SS`, `HH:MM:SS.S…` | no `Date`: SQLite would take the year 2000, we do not guess |
/// | any of these with a time, followed by `Z`, `z`, `+HH:MM` or `-HH:MM` | at once, no space before |
/// | `-YYYY-MM-DD…`, `-YYYYY-MM-DD…`, `+YYYYY-MM-DD…` | years before 0000 and after 9999: see below |
///
/// Widths are fixed. Fields are read whatever they say, and `isInCalendar` tells whether there is such a day and such a
/// time: `2031-13-40` and `25:61` are not among them, nor are `2031-02-29`, which SQLite takes for the day after, and
/// `24:00`. All texts that SQLite's own functions `date`, `time` and `datetime` print are.
///
/// ## Texts that are not read
///
/// | Text | SQLite's functions |
/// | --- | --- |
/// | `2031-4-9`, `7:05`, `03.`, `-0200`, `20310409`, `t` between date and time, `2031-04-09Z` | refuse them too |
/// | space at the end or before the zone, several spaces or none before the time | read them |
/// | `now`, and numbers (`2460000.5`, `1000`) | read them as the current date, as Julian days |
/// | a zone more than 18 hours away | refuse them too, from 15 hours on |
///
/// ## Years outside of 0000–9999
///
/// They are read with their sign, as in the expanded format of ISO 8601: `-0001-12-31`, `-12000-01-01`,
/// `+10000-01-01`. The negative ones down to year -4713 are what SQLite prints and reads, and what is written; to
/// SQLite all others are no dates. (Its own arithmetic is a day off in some centuries before year 0. Ours is not.) None
/// of them sorts with the other dates.
struct DateText: Equatable {
  /// Which fields the text has. All the others have their initial values.
  var format: DatabaseDateComponents.Format
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0

  /// The distance of the time zone from UTC, in seconds, positive in the east. Nil if there is none.
  var zone: Int?

  init(format: DatabaseDateComponents.Format) {
    self.format = format
  }

  /// Whether the calendar has the day, and a day the time.
  @inline(__always)
  var isInCalendar: Bool {
    guard hour < 24, minute < 60, second < 60, month >= 1, month <= 12, day >= 1 else { return false }
    return day <= 28 || day <= CivilDay.dayCount(ofMonth: month, year)
  }

  /// Nil for texts without a date.
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
