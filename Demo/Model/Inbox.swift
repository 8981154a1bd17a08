/// The queue of events from tasks to the dashboard.
///
/// It keeps only the newest value of each pane, so that a slow screen does not use more memory.
final class Inbox: Sendable {
  private struct Letters {
    var panes: [Pane.ID: Event] = [:]
    var others: [Event] = []
    var isEmpty: Bool { panes.isEmpty && others.isEmpty }
  }

  private let letters = Guarded(Letters())

  /// Called when the first event arrives in an empty inbox.
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

  /// Removes and returns all events.
  func take() -> [Event] {
    letters.withLock { letters in
      defer { letters = Letters() }
      return letters.others + letters.panes.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Removes the events of a pane.
  func forget(_ id: Pane.ID) {
    letters.withLock { letters in _ = letters.panes.removeValue(forKey: id) }
  }
}
