import Foundation

/// Delivers signals as bytes in a pipe, so that a loop that polls for input receives them.
///
/// A zero byte wakes the loop without a signal.
final class Signals: Sendable {
  /// The end of the pipe to poll.
  let reading: Int32
  private let writing: Int32

  /// The end of the pipe for the signal handler; there is one per process.
  nonisolated(unsafe) private static var destination: Int32 = -1

  /// `SIG_IGN` as a number: C functions cannot be compared.
  private static let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)

  /// - Throws: `Failure` if the pipe cannot be created.
  init(_ numbers: [Int32]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure.system("pipe") }
    (reading, writing) = (ends[0], ends[1])
    // A full pipe wakes the loop in any case: no writer may block on it.
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    Self.destination = writing
    for number in numbers { handle(number) }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Delivers a signal through the pipe. A signal that the parent process ignores (`nohup`) stays ignored.
  func handle(_ number: Int32) {
    var before = sigaction()
    sigaction(number, nil, &before)
    if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == Self.ignoring { return }
    Self.unblock(number)
    signal(number) { number in
      let before = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Signals.destination, &byte, 1)
      errno = before
    }
  }

  /// Unblocks the signals, because a parent thread that blocks them passes this on.
  static func unblock(_ number: Int32) {
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
  }

  func wake() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// Returns the signals that have arrived.
  func take() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(reading, &bytes, bytes.count)
    return count > 0 ? bytes[..<count].filter { $0 != 0 }.map(Int32.init) : []
  }

  /// Waits for a signal, and handles all that have arrived.
  func wait(for number: Int32, within timeout: Duration) -> [Int32] {
    let end = ContinuousClock.now + timeout
    var numbers: [Int32] = []
    while !numbers.contains(number) {
      let left = (end - .now).inSeconds * 1000
      if left <= 0 { break }
      var file = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      poll(&file, 1, Int32(left.rounded(.up)))
      numbers += take()
    }
    return numbers
  }

  /// Ends the process by the signal's default action, so that the parent process sees the signal.
  static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    // The parent process may have blocked it.
    exit(128 + number)
  }
}
