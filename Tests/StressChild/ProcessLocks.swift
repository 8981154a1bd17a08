import Foundation
import Synchronization
import Tidemark

/// Takes the process lock of the database each time that the parent asks for it, acknowledges that, and holds it until
/// the parent asks again.
func holdLock(path: String, name: String) throws {
  let dbQueue = try DatabaseQueue(path: path)
  let number = Counter()
  while getchar() != EOF {
    try waiting {
      try await dbQueue.withExclusiveProcessLock {
        acknowledge(number.next())
        _ = getchar()
      }
      acknowledge(number.next())
    }
  }
}

/// Increments the number in a file, under the process lock, and acknowledges each increment.
func incrementFile(path: String, name: String) throws {
  let dbQueue = try DatabaseQueue(path: path)
  try waiting {
    while true {
      try await dbQueue.withExclusiveProcessLock { try increment(path + "-counter") }
    }
  }
}

/// A control: does the same without the lock.
func incrementFileWithoutLock(path: String, name: String) throws {
  while true { try increment(path + "-counter") }
}

/// Reads the number of eight bytes in a file, and writes the next one.
private func increment(_ path: String) throws {
  let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw POSIXError(.EIO) }
  defer { close(file) }
  var number: Int64 = 0
  pread(file, &number, 8, 0)
  // Without the lock, others read the same number meanwhile.
  usleep(200)
  number += 1
  pwrite(file, &number, 8, 0)
  acknowledge(Int(number))
}

private final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func next() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Runs a closure in a task, and waits for its end.
func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
  let end = DispatchSemaphore(value: 0)
  Task {
    do {
      try await body()
    } catch {
      complain("\(error)")
      exit(5)
    }
    end.signal()
  }
  end.wait()
}
