/// What somebody has done at the keyboard.
enum Key: Hashable, Sendable {
  case character(Character)
  case control(Character)
  case alt(Character)
  case enter, tab, backTab, backspace, delete, escape
  case up, down, left, right, home, end, pageUp, pageDown
  case controlLeft, controlRight

  /// A text that came as a whole.
  case paste(String)
}

/// What a terminal says when it is asked.
enum TerminalAnswer: Equatable, Sendable {
  case background(Background)

  /// What the terminal is, which nobody wants to know: all questions that came before are answered, or never will be.
  case attributes
}
