import Synchronization

/// Whether databases were attached to a connection. Any thread can read it.
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

  /// Sets the closure that is called before each `ATTACH`, and now if there may already be attached databases.
  ///
  /// - Parameter owner: The owner of the closure. It replaces the previous owner.
  func setListener(of owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
    // Release the previous closure outside of the lock.
    let old = listener.withLock { listener in
      let old = listener
      listener = (ObjectIdentifier(owner), body)
      return old
    }
    withExtendedLifetime(old) {
      if mayExist { body() }
    }
  }

  /// Removes the closure of an owner, unless another owner has replaced it.
  func removeListener(of owner: AnyObject) {
    let old = listener.withLock { listener -> Listener? in
      guard listener?.id == ObjectIdentifier(owner) else { return nil }
      return listener.take()
    }
    withExtendedLifetime(old) {}
  }
}
