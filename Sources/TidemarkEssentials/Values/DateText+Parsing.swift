// Reads date texts from their bytes, in one pass and without allocation.

extension DateText {
  /// Nil if the bytes are not one of the texts listed in the documentation of `DateText`.
  @inline(__always)
  init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return nil }
    var scanner = DateScanner(position: start, end: start + text.count)
    self.init(scanner: &scanner)
  }

  /// The text of a date as it is stored, `2031-04-09 07:05:03.046`; nil for any other, which the general way reads.
  ///
  /// Nothing has to be looked for in it (Benchmarks: `[Date] from text`).
  @inline(__always)
  init?(stored text: UnsafeBufferPointer<UInt8>) {
    let dash = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    guard text.count == 23, let start = text.baseAddress, start[4] == dash, start[7] == dash,
      start[10] == UInt8(ascii: " "), start[13] == colon, start[16] == colon, start[19] == UInt8(ascii: ".")
    else { return nil }
    var isNumber = true
    func digit(_ index: Int) -> Int {
      let digit = start[index] &- UInt8(ascii: "0")
      isNumber = isNumber && digit < 10
      return Int(digit)
    }
    func twoDigits(_ index: Int) -> Int { digit(index) &* 10 &+ digit(index + 1) }
    self.init(format: .YMD_HMSS)
    year = twoDigits(0) &* 100 &+ twoDigits(2)
    month = twoDigits(5)
    day = twoDigits(8)
    hour = twoDigits(11)
    minute = twoDigits(14)
    second = twoDigits(17)
    millisecond = twoDigits(20) &* 10 &+ digit(22)
    guard isNumber else { return nil }
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
    // Foundation has no time zone beyond.
    guard seconds <= 18 * 3600 else { return false }
    zone = isWest ? -seconds : seconds
    return true
  }
}

/// A place in a text, and the few things that a date is made of.
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

  /// One digit or more: tenths, hundredths, thousandths, and what is then ignored.
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

  /// A year outside of 0000–9999: `-YYYY`, `-YYYYY`, `+YYYYY`, up to nine digits.
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
