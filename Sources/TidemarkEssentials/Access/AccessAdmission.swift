/// A resource for which an asynchronous access waits, and which it returns.
protocol AccessAdmission: Sendable {
  /// Calls a closure, which must not block, as soon as the resource is acquired.
  ///
  /// - Returns: A closure that gives up waiting, unless it is too late; nil if the resource was free.
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  /// Returns the resource.
  func end()
}

extension AccessGate: AccessAdmission {
  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    guard let ticket = enter(body) else { return nil }
    return { [self] in _ = giveUp(ticket) }
  }

  func end() { leave() }
}
