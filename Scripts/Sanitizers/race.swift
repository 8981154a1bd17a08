// Two threads write one variable: under a lock, or without when compiled with -D FAULTY.
import Foundation

final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func increment() {
    #if FAULTY
      value += 1
    #else
      lock.lock()
      value += 1
      lock.unlock()
    #endif
  }
}

let counter = Counter()
let done = DispatchSemaphore(value: 0)
for _ in 0..<2 {
  Thread {
    for _ in 0..<10_000 { counter.increment() }
    done.signal()
  }.start()
}
done.wait()
done.wait()
