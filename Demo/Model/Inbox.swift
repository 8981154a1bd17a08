/// Where tasks leave what they have for the dashboard.
///
/// Of the values of a pane the newest one is kept, so that a screen that is slow costs no memory.
final class Inbox: Sendable {
  private struct Letters {
    var panes: [Pane.ID: Event] = [:]
    var others: [Event] = []
    var isEmpty: Bool { panes.isEmpty && others.isEmpty }
  }

  private let letters = Guarded(Letters())

  /// Called when something is there and nothing was.
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func post(_ event: Event) {
    let wasEmpty = letters.withLock { letters in
      let wasEmpty = letters.isEmpty
      switch event {
      case .rows(let id, _), .failed(let id, _): letters.panes[id] = event
      default: letters.others.append(event)
      }
      return wasEmpty
    }
    if wasEmpty { wake() }
  }

  /// All that is there.
  func take() -> [Event] {
    letters.withLock { letters in
      defer { letters = Letters() }
      return letters.others + letters.panes.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Forgets what has come of a pane.
  func forget(_ id: Pane.ID) {
    letters.withLock { letters in _ = letters.panes.removeValue(forKey: id) }
  }
}
