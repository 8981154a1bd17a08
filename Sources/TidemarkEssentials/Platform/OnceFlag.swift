import Synchronization

/// An atomic flag that is set at most once.
final class OnceFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }

  /// Sets the flag, and returns whether this call has changed it.
  func setFirst() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}
