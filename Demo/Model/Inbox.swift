/// The queue of events from tasks to the dashboard.
///
/// It keeps only the newest value of each pane, so that a slow screen does not use more memory.
final class Inbox: Sendable {
  private struct Messages {
    var panes: [Pane.ID: Event] = [:]
    var others: [Event] = []
    var isEmpty: Bool { panes.isEmpty && others.isEmpty }
  }

  private let messages = Locked(Messages())

  /// Called when the first event arrives in an empty inbox.
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func post(_ event: Event) {
    let wasEmpty = messages.withLock { messages in
      let wasEmpty = messages.isEmpty
      switch event {
      case .rows(let id, _), .failed(let id, _): messages.panes[id] = event
      default: messages.others.append(event)
      }
      return wasEmpty
    }
    if wasEmpty { wake() }
  }

  /// Removes and returns all events.
  func take() -> [Event] {
    messages.withLock { messages in
      defer { messages = Messages() }
      return messages.others + messages.panes.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Removes the events of a pane.
  func forget(_ id: Pane.ID) {
    messages.withLock { messages in _ = messages.panes.removeValue(forKey: id) }
  }
}
