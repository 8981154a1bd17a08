/// The descriptions of the keys.
enum HelpText {
  static func lines(hasWorld: Bool) -> [(keys: String, meaning: String)] {
    let world = [
      ("p", "pause the writers, or let them go on"), ("+ -", "more writers, fewer writers"),
      ("b", "add a burst of 10,000 rows"), ("o", "start 10,000 background observations, or end them"),
    ]
    return [
      ("Tab 1…9", "move between panes"), ("z Enter", "one pane on the whole screen, or all"),
      ("↑ ↓ PgUp PgDn", "scroll rows"), ("Home End", "first row, last row that is known"),
      ("← →", "scroll columns"), ("v", "table or bars"), (":", "type a query that becomes a live pane"),
      ("x", "close a pane that was opened with :"),
    ] + (hasWorld ? world : []) + [
      ("Ctrl-L", "draw the screen anew"), ("Ctrl-Z", "suspend"), ("?", "this help"), ("q Ctrl-C", "quit"),
    ]
  }
}
