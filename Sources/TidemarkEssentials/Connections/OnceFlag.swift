import Synchronization

/// Something that happens once, and that anybody may ask about.
final class OnceFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }

  /// Sets it, and answers whether it was not set before.
  func setFirst() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}
