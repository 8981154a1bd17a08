import Foundation

/// Restores the terminal when a fatal signal ends the process.
///
/// A signal handler may use little more than memory that exists already: the sequence and the terminal modes are
/// copied to static memory.
enum TerminalRescue {
  /// The sequence that leaves full-screen mode: colours, cursor, paste mode, line wrap, alternate screen.
  static let leaving = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"

  private static let deadly = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  // Written before the handlers are installed, and read by them.
  nonisolated(unsafe) private static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  nonisolated(unsafe) private static let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
  nonisolated(unsafe) private static var byteCount = 0
  nonisolated(unsafe) private static var file: Int32 = -1

  /// The previous action of each signal, by number.
  nonisolated(unsafe) private static let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
  nonisolated(unsafe) private static var isArmed = false

  /// Installs the handlers.
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
        // Run the previous handler: it may write a backtrace.
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
