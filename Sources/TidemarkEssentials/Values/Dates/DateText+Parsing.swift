// Parses date texts from their bytes, in one pass and without allocation.

extension DateText {
  /// Fails if the bytes are not in one of the formats listed in the documentation of `DateText`.
  @inline(__always)
  init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return nil }
    var scanner = DateScanner(position: start, end: start + text.count)
    self.init(scanner: &scanner)
  }

  /// Parses a text in the standard storage format, `2031-04-09 07:05:03.046`. Returns nil for any other text, which the
  /// general parser handles.
  ///
  /// All fields are at fixed offsets, so it does not scan (benchmark `[Date] from text`).
  @inline(__always)
  init?(stored text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 23, let start = UnsafeRawPointer(text.baseAddress) else { return nil }
    let (date, time, rest) = (EightCharacters(start), EightCharacters(start + 8), EightCharacters(start + 15))
    guard date.has("0000-00-") && time.has("00 00:00") && rest.has("0:00.000") else { return nil }
    self.init(format: .YMD_HMSS)
    year = date.number(at: 0) &* 100 &+ date.number(at: 2)
    month = date.number(at: 5)
    day = time.number(at: 0)
    hour = time.number(at: 3)
    minute = time.number(at: 6)
    second = rest.number(at: 2)
    millisecond = rest.number(at: 5) &* 10 &+ rest.digit(at: 7)
  }

  init?(_ text: String) {
    guard let parsed = text.withUTF8Bytes({ DateText(utf8: $0) }) else { return nil }
    self = parsed
  }

  @inline(__always)
  private init?(scanner: inout DateScanner) {
    self.init(format: .YMD)
    let timeOnly = scanner.count >= 3 && scanner.position[2] == UInt8(ascii: ":")
    if !timeOnly {
      guard readDate(&scanner) else { return nil }
      if scanner.isAtEnd { return }
      guard scanner.skip(" ") || scanner.skip("T") else { return nil }
    }
    guard let time = readTime(&scanner) else { return nil }
    format = timeOnly ? time.timeOnly : time.dated
    if scanner.isAtEnd { return }
    guard readZone(&scanner), scanner.isAtEnd else { return nil }
  }

  @inline(__always)
  private mutating func readDate(_ scanner: inout DateScanner) -> Bool {
    guard let year = scanner.digits4() ?? scanner.signedYear(), scanner.skip("-"),
      let month = scanner.digits2(), scanner.skip("-"),
      let day = scanner.digits2()
    else { return false }
    self.year = year
    self.month = month
    self.day = day
    return true
  }

  private enum TimeFields {
    case HM, HMS, HMSS

    var timeOnly: DatabaseDateComponents.Format {
      switch self {
      case .HM: .HM
      case .HMS: .HMS
      case .HMSS: .HMSS
      }
    }

    var dated: DatabaseDateComponents.Format {
      switch self {
      case .HM: .YMD_HM
      case .HMS: .YMD_HMS
      case .HMSS: .YMD_HMSS
      }
    }
  }

  @inline(__always)
  private mutating func readTime(_ scanner: inout DateScanner) -> TimeFields? {
    guard let hour = scanner.digits2(), scanner.skip(":"), let minute = scanner.digits2() else { return nil }
    self.hour = hour
    self.minute = minute
    guard scanner.skip(":") else { return .HM }
    guard let second = scanner.digits2() else { return nil }
    self.second = second
    guard scanner.skip(".") else { return .HMS }
    guard let millisecond = scanner.millisecond() else { return nil }
    self.millisecond = millisecond
    return .HMSS
  }

  @inline(__always)
  private mutating func readZone(_ scanner: inout DateScanner) -> Bool {
    if scanner.skip("Z") || scanner.skip("z") {
      zone = 0
      return true
    }
    let isWest = scanner.skip("-")
    guard isWest || scanner.skip("+"),
      let hours = scanner.digits2(), scanner.skip(":"), let minutes = scanner.digits2()
    else { return false }
    let seconds = (hours &* 60 &+ minutes) &* 60
    // The maximum offset of Foundation's time zones.
    guard minutes < 60, seconds <= 18 * 3600 else { return false }
    zone = isWest ? -seconds : seconds
    return true
  }
}

/// Eight characters in one integer, which are checked in parallel.
private struct EightCharacters {
  private let characters: UInt64

  /// At the byte of each digit: the two-digit number that begins there.
  private let numbers: UInt64

  @inline(__always)
  init(_ start: UnsafeRawPointer) {
    characters = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    // The low nibbles are the digits. No product or sum overflows a byte.
    let digits = characters & 0x0f0f_0f0f_0f0f_0f0f
    numbers = digits &* 10 &+ digits &>> 8
  }

  /// Returns whether the text has a digit wherever the pattern has a zero, and is equal to the pattern elsewhere.
  @inline(__always)
  func has(_ form: StaticString) -> Bool {
    var (mask, expected, sixes): (UInt64, UInt64, UInt64) = (0, 0, 0)
    for index in 0..<8 {
      let character = UInt64(form.utf8Start[index])
      let shift = UInt64(8 &* index)
      let isDigit = character == UInt64(UInt8(ascii: "0"))
      mask |= (isDigit ? 0xf0 : 0xff) &<< shift
      expected |= character &<< shift
      sixes |= (isDigit ? 6 : 0) &<< shift
    }
    // The digits are 0x30 to 0x39: adding six does not change their high nibble. If a byte is not a digit, the addition
    // may carry into the next byte, but then the first comparison fails.
    return characters & mask == expected && (characters &+ sixes) & mask == expected
  }

  /// Returns the two-digit number at an offset.
  @inline(__always)
  func number(at index: Int) -> Int { Int((numbers &>> UInt64(8 &* index)) & 0xff) }

  @inline(__always)
  func digit(at index: Int) -> Int { Int((characters &>> UInt64(8 &* index)) & 0x0f) }
}

/// A position in the text, and functions that scan the parts of a date.
private struct DateScanner {
  var position: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  @inline(__always)
  var count: Int { end - position }

  @inline(__always)
  var isAtEnd: Bool { position == end }

  @inline(__always)
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard !isAtEnd, position.pointee == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private func digit(_ offset: Int) -> Int? {
    let value = position[offset] &- UInt8(ascii: "0")
    return value <= 9 ? Int(value) : nil
  }

  @inline(__always)
  mutating func digits2() -> Int? {
    guard count >= 2, let tens = digit(0), let units = digit(1) else { return nil }
    position += 2
    return tens &* 10 &+ units
  }

  @inline(__always)
  mutating func digits4() -> Int? {
    let start = position
    guard let hundreds = digits2(), let units = digits2() else {
      position = start
      return nil
    }
    return hundreds &* 100 &+ units
  }

  /// Scans one or more digits. Digits after the third are ignored.
  @inline(__always)
  mutating func millisecond() -> Int? {
    guard count >= 1, let tenths = digit(0) else { return nil }
    position += 1
    var result = tenths &* 100
    guard count >= 1, let hundredths = digit(0) else { return result }
    position += 1
    result &+= hundredths &* 10
    guard count >= 1, let thousandths = digit(0) else { return result }
    position += 1
    result &+= thousandths
    while count >= 1, digit(0) != nil { position += 1 }
    return result
  }

  /// Scans a year outside of 0000–9999, with up to nine digits: `-YYYY`, `-YYYYY`, `+YYYYY`.
  @inline(never)
  mutating func signedYear() -> Int? {
    let isNegative = skip("-")
    guard isNegative || skip("+") else { return nil }
    let start = position
    var year = 0
    while position - start < 9, count >= 1, let digit = digit(0) {
      year = year * 10 + digit
      position += 1
    }
    let digitCount = position - start
    guard year >= 10_000 ? start.pointee != UInt8(ascii: "0") : isNegative && digitCount == 4 else { return nil }
    return isNegative ? -year : year
  }
}
