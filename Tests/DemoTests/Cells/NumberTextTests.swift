import Testing

@testable import Demo

@Suite struct NumberTextTests {
  @Test(
    arguments: [
      (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"),
      (.max, "9,223,372,036,854,775,807"),
      (.min, "-9,223,372,036,854,775,808"),
    ] as [(Int64, String)])
  func thousandsAreGrouped(number: Int64, text: String) {
    #expect(NumberText.grouped(number) == text)
  }

  @Test(arguments: [
    (0, 2, "0.00"), (1.005, 2, "1.00"), (1.5, 0, "2"), (-0.001, 2, "0.00"), (-12.5, 1, "-12.5"),
    (1234.5, 2, "1,234.50"),
    (1e20, 2, "1e+20"), (.infinity, 1, "inf"),
  ])
  func numbersShowTheirDecimals(number: Double, decimals: Int, text: String) {
    #expect(NumberText.fixed(number, decimals: decimals) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (17, "17 B"), (1023, "1,023 B"), (1024, "1.00 KiB"), (4_718_592, "4.50 MiB"), (-2048, "-2.00 KiB"),
    (1e12, "931 GiB"), (1e18, "909,495 TiB"),
  ])
  func byteCountsShowTheirUnit(count: Double, text: String) {
    #expect(NumberText.bytes(count) == text)
  }

  @Test(arguments: [
    (0, "0 ns"), (3e-9, "3 ns"), (0.0000021, "2.10 µs"), (0.0128, "12.8 ms"), (0.9999, "1.00 s"), (59, "59.0 s"),
    (90, "1.50 min"), (7200, "2.00 h"), (1e-12, "0.00 ns"),
  ])
  func durationsShowTheirUnit(seconds: Double, text: String) {
    #expect(NumberText.seconds(seconds) == text)
  }

  @Test func pairedDurationsShareAUnitWherePossible() {
    #expect(NumberText.pairOfSeconds(0.001, 0.045) == "1.00 / 45.0 ms")
    #expect(NumberText.pairOfSeconds(0.0005, 0.045) == "500 µs / 45.0 ms")
  }

  @Test(arguments: [(0.5, 1), (2, 0), (1.25, 2), (1e-9, nil), (.nan, nil), (.infinity, nil)] as [(Double, Int?)])
  func decimalsAreCounted(number: Double, decimals: Int?) {
    #expect(NumberText.decimals(of: number) == decimals)
  }

  @Test func shortCountsHaveASuffix() {
    #expect([950, 12_345, 4_560_000].map { NumberText.short($0) } == ["950", "12.3k", "4.56M"])
  }
}
