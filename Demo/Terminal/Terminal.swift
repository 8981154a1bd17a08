import Foundation

/// The terminal in full-screen mode, which is restored on every way out.
///
/// It belongs to one thread.
final class Terminal {
  private let input: Int32
  private let output: Int32
  private let ownsInput: Bool
  private var original = termios()
  private var isEntered = false

  /// Whether a reply of the terminal is outstanding.
  private(set) var isAnswerAwaited = false

  /// Whether a file descriptor refers to a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// - Throws: `Failure` without a terminal from which keys can be read.
  init() throws {
    output = STDOUT_FILENO
    if Self.isTerminal(STDIN_FILENO) {
      input = STDIN_FILENO
      ownsInput = false
    } else {
      // Standard input is a pipe; read the keys from the terminal itself.
      let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
      if descriptor < 0 { throw Failure.noKeyboard }
      input = descriptor
      ownsInput = true
    }
  }

  deinit {
    leave()
    if ownsInput { close(input) }
  }

  // MARK: - In and out

  /// Enters full-screen mode: alternate screen, no echo, no line buffering.
  func enter() throws {
    if isEntered { return }
    guard tcgetattr(input, &original) == 0 else { throw Failure.system("tcgetattr") }
    var raw = original
    cfmakeraw(&raw)
    TerminalRescue.arm(input, modes: original)
    guard tcsetattr(input, TCSAFLUSH, &raw) == 0 else { throw Failure.system("tcsetattr") }
    isEntered = true
    // Alternate screen, bracketed paste, hidden cursor. No line wrap: a character that is wider than expected must
    // not scroll the screen.
    try write(Array("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l\u{1B}[?7l".utf8))
  }

  /// Restores the terminal.
  func leave() {
    if !isEntered { return }
    isEntered = false
    defer { TerminalRescue.disarm() }
    // In the background, the terminal already belongs to another process group.
    guard tcgetpgrp(input) == getpgrp() else { return }
    // A terminal that has disconnected needs no restoring.
    try? write(Array(TerminalRescue.leaving.utf8))
    // A late reply must not reach the shell as typed text.
    if isAnswerAwaited { discardInput(for: Background.patience) }
    isAnswerAwaited = false
    tcsetattr(input, TCSADRAIN, &original)
  }

  /// Requests the background colour. The reply arrives as input.
  func askForBackground() throws {
    isAnswerAwaited = true
    try write(Array(Background.query.utf8))
  }

  /// Notes that the terminal has replied to all requests.
  func didReply() { isAnswerAwaited = false }

  private func discardInput(for duration: Duration) {
    let end = ContinuousClock.now + duration
    var decoder = InputDecoder()
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      var file = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let left = Int32(((end - .now).inSeconds * 1000).rounded(.up))
      guard left > 0, poll(&file, 1, left) > 0 else { return }
      let count = Foundation.read(input, &bytes, bytes.count)
      guard count > 0 else { return }
      _ = decoder.decode(bytes[..<count])
      if decoder.takeReplies().contains(.attributes) { return }
    }
  }

  /// The size; nil if the terminal does not report it.
  var size: (width: Int, height: Int)? {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  // MARK: - Bytes

  enum Input {
    case bytes([UInt8])
    case nothing
    case closed
  }

  /// Waits for keys, signals or a timeout.
  func wait(_ signals: Signals, for timeout: Duration) {
    var files = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = (timeout.inSeconds * 1000).rounded(.up)
    poll(&files, 2, Int32(max(0, min(milliseconds, 60_000))))
    hasInput = files[0].revents != 0
  }

  private var hasInput = false

  /// Returns the bytes that have been typed.
  func read() -> Input {
    if !hasInput { return .nothing }
    hasInput = false
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Foundation.read(input, &bytes, bytes.count)
    if count > 0 { return .bytes(Array(bytes[..<count])) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? .nothing : .closed
  }

  /// - Throws: `Failure` if the terminal has disconnected.
  func write(_ bytes: [UInt8]) throws {
    try writeAll(bytes, to: output)
  }
}

/// Writes all bytes to a file.
///
/// - Throws: `Failure.closedOutput` if the reader has closed the file.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
    }
    if count >= 0 {
      written += count
    } else if errno == EAGAIN {
      // Another process has set the file to non-blocking mode.
      var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&file, 1, 1000)
    } else if errno == EPIPE {
      throw Failure.closedOutput
    } else if errno != EINTR {
      throw Failure.system("write")
    }
  }
}
