extension Dashboard {
  /// Updates the state after an event.
  ///
  /// - Returns: The effects to perform.
  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key):
      return handle(key)
    case .resized(let size):
      self.size = size
      return keepingRowsVisible()
    case .rows(let id, let page):
      update(id) { pane in
        pane.page = page
        pane.failure = nil
        // The result may have become shorter.
        if !page.hasMore { pane.row = min(pane.row, max(0, page.end - 1)) }
        pane.column = min(pane.column, max(0, page.columns.count - 1))
      }
      return keepingRowsVisible()
    case .failed(let id, let sentence):
      update(id) { $0.failure = sentence }
      return []
    case .checked(let sql, let result):
      return handleCheck(of: sql, result)
    case .noticed(let text, let isFailure):
      notice = Notice(text: text, isFailure: isFailure)
      return []
    case .tick(let tick):
      handle(tick)
      return []
    }
  }

  /// Requests other rows if the visible ones are not loaded.
  mutating func keepingRowsVisible() -> [Effect] {
    let layout = Layout(self)
    return panes.indices.compactMap { index in
      let height = layout.rowCount(of: panes[index].id)
      guard height > 0, let wanted = panes[index].missingPage(height: height),
        case .query(let query, _) = panes[index].subject
      else { return nil }
      panes[index].subject = .query(query, wanted)
      return .follow(panes[index].id, query, wanted)
    }
  }

  private mutating func update(_ id: Pane.ID, _ change: (inout Pane) -> Void) {
    // Events of a pane that was closed may still arrive.
    guard let index = panes.firstIndex(where: { $0.id == id }) else { return }
    change(&panes[index])
  }

  private mutating func handleCheck(of sql: String, _ result: Result<Query, QueryFailure>) -> [Effect] {
    guard prompt.isChecking, prompt.editor.text == sql else { return [] }
    prompt.isChecking = false
    switch result {
    case .success(let query):
      _ = prompt.editor.accept()
      mode = .panes
      let pane = addPane(query)
      focus = panes.count - 1
      return [.follow(pane.id, query, PageRequest())]
    case .failure(let failure):
      prompt.failure = failure.sentence
      return []
    }
  }

  private mutating func handle(_ tick: Event.Tick) {
    figures = tick.figures
    world = tick.world ?? world
    if let rate = tick.commitRate { commitRates.add(rate) }
    for index in panes.indices { panes[index].slowFetch = tick.slowFetches[panes[index].id] }
    notice?.ticksLeft -= 1
    if let notice, notice.ticksLeft <= 0 { self.notice = nil }
  }
}
