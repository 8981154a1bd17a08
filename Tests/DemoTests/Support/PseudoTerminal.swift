import Foundation
import TestSupport
import Testing

@testable import Demo

/// The demo in a pseudo terminal: keys go in, a screen comes out.
final class PseudoTerminal {
  private(set) var emulator: TerminalEmulator
  let process: pid_t
  private let main: Int32
  private let secondary: Int32
  private var status: Int32?

  /// The reply to a request for the background colour, such as `rgb:ffff/ffff/ffff`. If nil, the terminal replies to
  /// no request at all.
  private let background: String?
  private var answeredCount = 0

  /// Linux's `TIOCSPTLCK` and `TIOCGPTN`, which are macros that Swift does not import.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init(
    _ arguments: [String], width: Int = 100, height: Int = 30, environment: [String: String] = [:],
    background: String? = nil
  ) throws {
    self.background = background
    emulator = TerminalEmulator(width: width, height: height)
    main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(main >= 0)
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(main, Self.setLock, &isLocked) == 0 && ioctl(main, Self.getNumber, &number) == 0)
    let name = "/dev/pts/\(number)"
    // Kept open, so that the terminal modes can be read after the program has ended.
    secondary = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(secondary >= 0)
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
    process = try DemoProgram.spawn(arguments, terminal: name, environment: environment)
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      var ignored: Int32 = 0
      waitpid(process, &ignored, 0)
    }
    close(main)
    close(secondary)
  }

  func type(_ text: String) throws {
    try writeAll(Array(text.utf8), to: main)
  }

  func resize(width: Int, height: Int) throws {
    let complaints = emulator.complaints
    try #require(complaints == [])
    emulator = TerminalEmulator(width: width, height: height)
    answeredCount = 0
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// Reads the output of the program until the screen satisfies a condition.
  @discardableResult
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until isRight: (TerminalEmulator) -> Bool
  ) -> Bool {
    let patience = WaitLimit(what, file: sourceLocation.fileID, line: sourceLocation.line)
    while !isRight(emulator) {
      if patience.isOver || !readSome() {
        // The last output may have arrived together with the end.
        if isRight(emulator) { return true }
        Issue.record("\(what): it never came. The screen:\n\(emulator.screen)", sourceLocation: sourceLocation)
        return false
      }
    }
    return true
  }

  /// Waits for a text on the screen.
  @discardableResult
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait("“\(text)”", sourceLocation: sourceLocation) { $0.screen.contains(text) }
  }

  /// - Returns: False if the program has ended.
  private func readSome() -> Bool {
    var file = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
    guard poll(&file, 1, 50) > 0 else { return !hasEnded }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(main, &bytes, bytes.count)
    if count <= 0 { return false }
    emulator.feed(Array(bytes[..<count]))
    replyToTerminalQueries()
    return true
  }

  private func replyToTerminalQueries() {
    guard let background else { return }
    for question in emulator.questions.dropFirst(answeredCount) {
      answeredCount += 1
      // A program that has ended reads no reply.
      try? type(question == "[c" ? "\u{1B}[?62;22c" : "\u{1B}]11;\(background)\u{1B}\\")
    }
  }

  private var hasEnded: Bool {
    if status != nil { return true }
    var status: Int32 = 0
    if waitpid(process, &status, WNOHANG) == process { self.status = status }
    return self.status != nil
  }

  /// How the program has ended.
  enum Ending: Equatable {
    case code(Int32)
    case signal(Int32)
    case never
  }

  /// Waits until the program has ended, and reads the rest of its output.
  func ending(file: String = #fileID, line: Int = #line) -> Ending {
    let patience = WaitLimit("the end of the program", file: file, line: line)
    while !patience.isOver {
      if hasEnded {
        var file = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
        while poll(&file, 1, 0) > 0, file.revents & Int16(POLLIN) != 0, readSome() {}
        break
      }
      _ = readSome()
    }
    guard let status else { return .never }
    return status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }

  /// Whether the terminal echoes and buffers lines, as a shell expects.
  var isCooked: Bool {
    var modes = termios()
    return tcgetattr(secondary, &modes) == 0 && modes.c_lflag & tcflag_t(ICANON) != 0
      && modes.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Makes the terminal echo and buffer lines, as a shell does.
  func cook() throws {
    var modes = termios()
    try #require(tcgetattr(secondary, &modes) == 0)
    modes.c_lflag |= tcflag_t(ICANON) | tcflag_t(ECHO) | tcflag_t(ISIG)
    try #require(tcsetattr(secondary, TCSANOW, &modes) == 0)
  }

  /// Whether the program has left the terminal unchanged.
  var isGivenBack: Bool {
    isCooked && emulator.isCursorSeen && emulator.modes.isDisjoint(with: [1049, 2004, 2026])
  }
}
