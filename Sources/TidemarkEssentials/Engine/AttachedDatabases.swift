import Synchronization

/// Whether databases were attached to a connection, for those who ask from other threads.
final class AttachedDatabases: Sendable {
  private typealias Listener = (id: ObjectIdentifier, body: @Sendable () -> Void)

  private let flag = Atomic<Bool>(false)
  private let listener = Mutex<Listener?>(nil)

  /// Whether one was attached, or might have been.
  var mayExist: Bool { flag.load(ordering: .sequentiallyConsistent) }

  /// A database is about to be attached.
  func willAttach() {
    flag.store(true, ordering: .sequentiallyConsistent)
    listener.withLock { $0 }?.body()
  }

  /// Has a closure called when databases may be attached: now, if they may be already, and before each is.
  ///
  /// - parameter owner: Who has it called. It replaces the one before.
  func setListener(of owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
    // What the one before holds is let go outside of the lock.
    let old = listener.withLock { listener in
      let old = listener
      listener = (ObjectIdentifier(owner), body)
      return old
    }
    withExtendedLifetime(old) {
      if mayExist { body() }
    }
  }

  /// Has the closure of an owner called no more, unless another one has replaced it.
  func removeListener(of owner: AnyObject) {
    let old = listener.withLock { listener -> Listener? in
      guard listener?.id == ObjectIdentifier(owner) else { return nil }
      return listener.take()
    }
    withExtendedLifetime(old) {}
  }
}
