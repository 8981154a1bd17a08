extension Dashboard {
  /// Performs the command of a key in the current state.
  mutating func handle(_ key: Key) -> [Effect] {
    switch key {
    case .control("c"): return [.quit]
    case .control("z"): return [.suspend]
    case .control("l"): return [.redraw]
    default: break
    }
    switch mode {
    case .panes: return handleInPanes(key)
    case .prompt: return handleInPrompt(key)
    case .help(let firstLine):
      handleInHelp(key, firstLine)
      return []
    }
  }

  // MARK: - Panes

  private mutating func handleInPanes(_ key: Key) -> [Effect] {
    switch key {
    case .character("q"): return [.quit]
    case .character("?"): mode = .help(firstLine: 0)
    case .character(":"), .character("/"): openPrompt()
    case .tab, .character("n"): moveFocus(by: 1)
    case .backTab, .character("N"): moveFocus(by: -1)
    case .character("z"), .enter: isZoomed.toggle()
    case .escape: isZoomed = false
    case .character("x"): return closePane()
    case .character("v"): toggleStyle()
    case .character(let character) where character.isASCII && character.isNumber:
      if let number = character.wholeNumberValue, panes.indices.contains(number - 1) { focus = number - 1 }
    default:
      return scroll(key) ?? handleInWorld(key)
    }
    return keepingRowsVisible()
  }

  private func handleInWorld(_ key: Key) -> [Effect] {
    if world == nil { return [] }
    switch key {
    case .character("p"), .character(" "): return [.togglePause]
    case .character("+"), .character("="): return [.changeWriterCount(by: 1)]
    case .character("-"): return [.changeWriterCount(by: -1)]
    case .character("b"): return [.burst]
    case .character("o"): return [.toggleBackground]
    default: return []
    }
  }

  private mutating func moveFocus(by step: Int) {
    if panes.isEmpty { return }
    focus = (focus + step + panes.count) % panes.count
  }

  private mutating func toggleStyle() {
    if panes.indices.contains(focus) { panes[focus].style = panes[focus].style == .table ? .bars : .table }
  }

  private mutating func closePane() -> [Effect] {
    guard let pane = focusedPane, pane.isClosable else {
      notice = Notice(text: "Only panes that were opened by hand can be closed")
      return []
    }
    panes.remove(at: focus)
    focus = min(focus, max(0, panes.count - 1))
    return [.stopFollower(pane.id)]
  }

  // MARK: - Scrolling

  /// - Returns: Nil if the key does not scroll.
  private mutating func scroll(_ key: Key) -> [Effect]? {
    guard panes.indices.contains(focus) else { return nil }
    let height = max(1, Layout(self).rowCount(of: panes[focus].id))
    let page = panes[focus].page ?? ResultPage(columns: [], rows: [])
    var pane = panes[focus]
    switch key {
    case .up, .character("k"): pane.row -= 1
    case .down, .character("j"): pane.row += 1
    case .pageUp: pane.row -= height
    case .pageDown: pane.row += height
    case .home, .character("g"): pane.row = 0
    // The end of the loaded rows: scrolling there loads more of them.
    case .end, .character("G"): pane.row = page.end - (page.hasMore ? 1 : height)
    case .left, .character("h"): pane.column -= 1
    case .right, .character("l"): pane.column += 1
    default: return nil
    }
    let rowCount = panes[focus].subject == .engine ? figures.lines.count : page.end
    let lastRow = page.hasMore ? rowCount - 1 : rowCount - height
    pane.row = max(0, min(pane.row, max(lastRow, 0)))
    pane.column = max(0, min(pane.column, page.columns.count - 1))
    panes[focus] = pane
    return keepingRowsVisible()
  }

  // MARK: - Prompt and help

  private mutating func openPrompt() {
    mode = .prompt
    prompt.failure = nil
  }

  private mutating func handleInPrompt(_ key: Key) -> [Effect] {
    switch key {
    case .escape, .control("g"):
      prompt.isChecking = false
      prompt.failure = nil
      prompt.editor.discard()
      mode = .panes
    case .enter:
      let sql = prompt.editor.text
      if prompt.isChecking || sql.allSatisfy(\.isWhitespace) { return [] }
      prompt.isChecking = true
      prompt.failure = nil
      return [.check(sql: sql)]
    default:
      if prompt.editor.handle(key) {
        prompt.isChecking = false
        prompt.failure = nil
      }
    }
    return []
  }

  private mutating func handleInHelp(_ key: Key, _ firstLine: Int) {
    switch key {
    case .up, .character("k"): mode = .help(firstLine: max(0, firstLine - 1))
    case .down, .character("j"):
      mode = .help(firstLine: min(firstLine + 1, HelpText.lines(hasWorld: world != nil).count - 1))
    default: mode = .panes
    }
  }
}
