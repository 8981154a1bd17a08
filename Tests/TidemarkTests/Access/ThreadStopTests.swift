import Foundation
import TestSupport
import Testing

@testable import TidemarkEssentials

@Suite(.untilItHangs) struct ThreadStopTests {
  /// Waits on another thread.
  private func wait(for stop: ThreadStop) -> (hasBegun: DispatchSemaphore, hasEnded: DispatchSemaphore) {
    let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      hasBegun.signal()
      stop.wait()
      hasEnded.signal()
    }
    return (hasBegun, hasEnded)
  }

  @Test func aWaitThatHasBegunEndsWhenTheThreadReports() throws {
    // Often, the other thread is asleep when the report begins.
    for _ in 0..<50 {
      let stop = ThreadStop()
      let (hasBegun, hasEnded) = wait(for: stop)
      try Wait.on(hasBegun)
      stop.setIsNotifying(true)
      try Wait.on(hasEnded, "the end of the wait for a thread that reports")
    }
  }

  @Test func waitsFromANotificationReturnAtOnce() {
    let stop = ThreadStop()
    stop.setIsNotifying(true)
    stop.wait()
  }

  @Test func aWaitEndsWithTheThread() throws {
    let stop = ThreadStop()
    let (_, hasEnded) = wait(for: stop)
    stop.setIsNotifying(true)
    stop.setIsNotifying(false)
    stop.end()
    try Wait.on(hasEnded, "the end of the wait for a thread that has ended")
  }
}
