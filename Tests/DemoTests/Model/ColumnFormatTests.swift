import Testing

@testable import Demo

/// The numbers of a column have one format, with the unit that the column's name implies.
@Suite struct ColumnFormatTests {
  private func texts(_ name: String, _ values: [CellValue]) -> [String] {
    let format = ColumnFormat(name, values)
    return values.map { ValueText($0, format).text }
  }

  @Test(
    arguments: [
      ("count", [.integer(7), .integer(1_234_567)], ["7", "1,234,567"]),
      ("id", [.integer(1_234_567)], ["1234567"]), ("orderId", [.integer(1_234_567)], ["1234567"]),
      ("order_id", [.integer(1_234_567)], ["1234567"]), ("year", [.integer(2026)], ["2026"]),
      ("price", [.real(1.5), .integer(20), .real(0.25)], ["1.50", "20.00", "0.25"]),
      ("revenue €", [.real(1.5), .integer(20)], ["1.50", "20.00"]), ("revenue €", [.integer(20)], ["20"]),
      ("fileBytes", [.integer(2048), .null], ["2.00 KiB", "NULL"]), ("size_bytes", [.integer(17)], ["17 B"]),
      ("latency_ms", [.real(0.5), .integer(1500)], ["500 µs", "1.50 s"]), ("seconds", [.integer(90)], ["1.50 min"]),
      ("share_percent", [.real(12.5), .integer(3)], ["12.5 %", "3.0 %"]),
      ("mixed", [.integer(5000), .text("x")], ["5000", "x"]), ("huge", [.real(1e300), .real(1.5)], ["1e+300", "1.5"]),
      ("valid", [.integer(12_000)], ["12,000"]),
    ] as [(String, [CellValue], [String])])
  func numbersInAColumnShareAFormat(name: String, values: [CellValue], expected: [String]) {
    #expect(texts(name, values) == expected)
  }

  @Test func shortBlobsAreShownAsBytes() {
    let long = CellValue.blob(byteCount: 4096, start: Array(0..<16))
    #expect(
      texts("data", [long, .blob(byteCount: 2, start: [0, 255]), .blob(byteCount: 0, start: [])]) == [
        "x'0001020304050607…' 4.00 KiB", "x'00ff' 2 B", "x'' 0 B",
      ])
  }

  @Test func columnsOfNullsAreFormattedAsText() {
    #expect(ColumnFormat("count", []) == .text)
    #expect(ColumnFormat("count", [.null]) == .text)
  }
}
