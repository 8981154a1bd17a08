import Testing
import Tidemark
@testable import TidemarkEssentials

/// How much of the machine external commits use.
@Suite struct ExternalCommitPaceTests {
  private static let start = Duration.seconds(100)

  private func pace(share: Double, delayMax: Duration = .milliseconds(100)) -> ExternalCommitPace {
    ExternalCommitPace(.init(processorShare: share, delayMax: delayMax), processorCount: 2)
  }

  private static func after(_ microseconds: Int) -> Duration { start + .microseconds(microseconds) }

  @Test func `work within the share needs no pause`() {
    var pace = pace(share: 0.5)
    pace.worked(from: Self.start, to: Self.after(500))
    #expect(pace.pause(at: Self.after(500)) == .zero)
  }

  @Test func `work is followed by a pause that keeps the share`() {
    var pace = pace(share: 0.1)
    pace.worked(from: Self.start, to: Self.after(500))
    // 500 µs are a fifth of 2,500 µs.
    #expect(pace.pause(at: Self.after(500)) == .milliseconds(2))
    #expect(pace.pause(at: Self.after(2_500)) == .zero)
  }

  @Test func `the work of several threads adds up`() {
    var pace = pace(share: 0.5)
    for _ in 1...2 { pace.worked(from: Self.start, to: Self.after(500)) }
    #expect(pace.pause(at: Self.after(500)) == .microseconds(500))
  }

  @Test func `an unused share is not saved`() {
    var pace = pace(share: 0.25)
    pace.worked(from: Self.start, to: Self.after(100))
    pace.worked(from: Self.after(10_000), to: Self.after(10_100))
    #expect(pace.pause(at: Self.after(10_100)) == .microseconds(100))
  }

  @Test func `a pause is not longer than its limit`() {
    var pace = pace(share: 0.001, delayMax: .milliseconds(20))
    pace.worked(from: Self.start, to: Self.after(5_000))
    #expect(pace.pause(at: Self.after(5_000)) == .milliseconds(20))
  }

  @Test func `a pause of zero disables the limit`() {
    var pace = pace(share: 0.001, delayMax: .zero)
    pace.worked(from: Self.start, to: Self.after(5_000))
    #expect(pace.pause(at: Self.after(5_000)) == .zero)
  }

  @Test(arguments: [1e-300, .infinity])
  func `extreme limits are possible`(share: Double) {
    var pace = ExternalCommitPace(.init(processorShare: share, delayMax: .seconds(Int64.max)), processorCount: 2)
    pace.worked(from: .seconds(1), to: .seconds(2))
    pace.worked(from: .seconds(1_000), to: .seconds(3_000))
    #expect(pace.pause(at: .seconds(3_000)) == (share < 1 ? .seconds(1_000_000_000) : .zero))
  }
}
