/// What an asynchronous access waits for, and gives back.
protocol AccessTurn: Sendable {
  /// Calls a closure, which must not block, as soon as it is our turn.
  ///
  /// - returns: Gives up waiting, unless it is too late; nil when there was no wait.
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  /// Ends the turn.
  func end()
}

extension AccessGate: AccessTurn {
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    guard let ticket = enter(body) else { return nil }
    return { [self] in _ = giveUp(ticket) }
  }

  func end() { leave() }
}
