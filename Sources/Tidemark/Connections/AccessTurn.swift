/// What an asynchronous access waits for, and gives back.
protocol AccessTurn: Sendable {
  /// Calls a closure, which must not block, as soon as it is our turn.
  ///
  /// - returns: Gives up waiting, and answers whether it was not too late; nil when there was no wait.
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Bool)?

  /// Ends the turn.
  func end()
}

extension AccessGate: AccessTurn {
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Bool)? {
    guard let ticket = enter(body) else { return nil }
    return { [self] in giveUp(ticket) }
  }

  func end() { leave() }
}
