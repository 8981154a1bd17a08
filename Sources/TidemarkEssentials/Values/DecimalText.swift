/// The digits and the exponent of a decimal number.
///
/// It is parsed from texts such as `10`, `-10.50`, `+.5`, `5.` and `1e3`. Other texts are rejected, including numbers
/// followed by other characters, and numbers with too many digits.
struct DecimalText {
  var isNegative: Bool
  var digits: UInt128
  var exponent: Int

  init?(_ text: String) {
    var bytes = text.utf8[...]
    isNegative = bytes.first == UInt8(ascii: "-")
    digits = 0
    exponent = 0
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }

    var digitCount = 0
    var pendingZeros = 0
    var isAfterPoint = false
    while let byte = bytes.first {
      if byte == UInt8(ascii: "."), !isAfterPoint {
        isAfterPoint = true
      } else if let digit = Self.digit(byte) {
        digitCount += 1
        if isAfterPoint { exponent -= 1 }
        // Zeros are counted only if another digit follows: 1000 is 1 with an exponent.
        if digit == 0 {
          pendingZeros += 1
        } else {
          guard append(zeros: pendingZeros, digit: digit) else { return nil }
          pendingZeros = 0
        }
      } else {
        break
      }
      bytes = bytes.dropFirst()
    }
    guard digitCount > 0 else { return nil }
    exponent += pendingZeros

    if let byte = bytes.first, byte | 0x20 == UInt8(ascii: "e") {
      let exponentBytes = bytes.dropFirst()
      guard let written = Self.integer(exponentBytes) else { return nil }
      exponent += written
    } else if !bytes.isEmpty {
      return nil
    }
    if digits == 0 { exponent = 0 }
  }

  private mutating func append(zeros: Int, digit: UInt8) -> Bool {
    if digits == 0 {
      digits = UInt128(digit)
      return true
    }
    for position in 0...zeros {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(position == zeros ? UInt128(digit) : 0)
      if overflow || carry { return false }
      digits = sum
    }
    return true
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    return digit <= 9 ? digit : nil
  }

  /// Parses a small integer. No supported number has a larger exponent.
  private static func integer(_ bytes: Substring.UTF8View) -> Int? {
    guard let integer = Int(Substring(bytes)), integer.magnitude < 1_000_000 else { return nil }
    return integer
  }
}
