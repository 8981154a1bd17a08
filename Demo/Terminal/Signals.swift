import Foundation

/// Signals as bytes in a pipe, so that a loop that waits for input sees them come.
///
/// Others may write to the pipe, too, to wake the loop: they write a zero.
final class Signals: Sendable {
  /// To be polled.
  let reading: Int32
  private let writing: Int32

  /// Where the handler writes; there is one for the process.
  nonisolated(unsafe) private static var destination: Int32 = -1

  /// `SIG_IGN`, as a number: functions of C cannot be compared.
  private static let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)

  /// - throws: When there are no descriptors left.
  init(_ numbers: [Int32]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure.system("pipe") }
    (reading, writing) = (ends[0], ends[1])
    // A pipe that is full wakes the loop in any case: nobody may wait for room in it.
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

  /// Has a signal come through the pipe. One that whoever started us wants to be ignored, as `nohup` does, is ignored.
  func handle(_ number: Int32) {
    var before = sigaction()
    sigaction(number, nil, &before)
    if unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == Self.ignoring { return }
    // A thread that blocks signals may have started us: then ours are blocked, too.
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    signal(number) { number in
      let before = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Signals.destination, &byte, 1)
      errno = before
    }
  }

  func wake() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// The signals that have come.
  func take() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(reading, &bytes, bytes.count)
    return count > 0 ? bytes[..<count].filter { $0 != 0 }.map(Int32.init) : []
  }

  /// Waits until a signal has come, and answers all that have.
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

  /// Ends the process as the signal would have, so that who waits for it learns of it.
  static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    // It was blocked by whoever started us.
    exit(128 + number)
  }
}
