import Dispatch
import Synchronization

/// A disk on which a call takes as long as a test wants.
struct SlowDisk {
  let vfs = FaultVFS()
  private let begun = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Stops the next call of a kind, in any file of a database.
  func stopNext(_ calls: Int) {
    let hasStopped = Atomic<Bool>(false)
    vfs.onCall(calls, ofAllFiles: true) { [begun, ended] in
      if hasStopped.exchange(true, ordering: .relaxed) { return }
      begun.signal()
      ended.wait()
    }
  }

  /// Waits until the call has begun that stops.
  func waitForCall() { begun.wait() }

  /// Ends the call.
  func goOn() { ended.signal() }
}
