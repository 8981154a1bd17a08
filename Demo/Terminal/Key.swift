/// An input of the user.
enum Key: Hashable, Sendable {
  case character(Character)
  case control(Character)
  case alt(Character)
  case enter, tab, backTab, backspace, delete, escape
  case up, down, left, right, home, end, pageUp, pageDown
  case controlLeft, controlRight

  /// A pasted text.
  case paste(String)
}

/// A reply of the terminal to a request.
enum TerminalReply: Equatable, Sendable {
  case background(Background)

  /// The device attributes. Their values are not used: the reply means that all earlier requests have been processed.
  case attributes
}
