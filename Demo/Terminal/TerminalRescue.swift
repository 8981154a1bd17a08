import Foundation

/// Gives the terminal back when the process dies of a signal that nobody can survive.
///
/// A handler of signals may use little more than what is in memory already: the sequence and the modes are copied to a
/// place that stays.
enum TerminalRescue {
  /// What leaves the screen of our own: the look, the cursor, the way of pasting, line wrap, the other screen.
  static let leaving = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"

  private static let deadly = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  // Written before the handlers are installed, and read by them.
  nonisolated(unsafe) private static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  nonisolated(unsafe) private static let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
  nonisolated(unsafe) private static var byteCount = 0
  nonisolated(unsafe) private static var file: Int32 = -1

  /// What was done at each signal before, by its number.
  nonisolated(unsafe) private static let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
  nonisolated(unsafe) private static var isArmed = false

  /// From now on a terminal is given back.
  static func arm(_ descriptor: Int32, modes original: termios) {
    modes.initialize(to: original)
    byteCount = min(64, leaving.utf8.count)
    bytes.copyMemory(from: Array(leaving.utf8), byteCount: byteCount)
    file = descriptor
    if isArmed { return }
    isArmed = true
    for number in deadly {
      sigaction(number, nil, previous + Int(number))
      Signals.unblock(number)
      signal(number) { number in
        TerminalRescue.giveBack()
        // Whoever came before us goes on: it may write a backtrace.
        sigaction(number, TerminalRescue.previous + Int(number), nil)
        raise(number)
      }
    }
  }

  static func disarm() {
    file = -1
    if !isArmed { return }
    isArmed = false
    for number in deadly { sigaction(number, previous + Int(number), nil) }
  }

  private static func giveBack() {
    if file < 0 { return }
    write(file, bytes, byteCount)
    tcsetattr(file, TCSANOW, modes)
  }
}
