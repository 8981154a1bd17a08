/// The last line of the screen: the current message, or the keys.
struct StatusView {
  let dashboard: Dashboard

  func draw(into grid: inout Grid, _ area: Area) {
    grid.fill(area, " ", .status)
    if let notice = dashboard.notice {
      grid.put(" " + notice.text, notice.isFailure ? .failure : .status, in: area)
      return
    }
    var x = area.x + 1
    let end = area.x + area.width
    for (key, meaning) in keys {
      // A key is only shown together with its description.
      if x + key.width + 1 + meaning.width > end { break }
      x = grid.put(key, .statusKey, at: Point(x: x, y: area.y), before: end)
      x = grid.put(" " + meaning, .status, at: Point(x: x, y: area.y), before: end) + 2
    }
  }

  /// The keys that are available now, the most important ones first.
  var keys: [(key: String, meaning: String)] {
    var keys = [("q", "quit"), ("?", "help"), (":", "query"), ("Tab", "pane")]
    if let world = dashboard.world {
      keys += [
        ("p", world.isPaused ? "resume" : "pause"), ("+/-", "writers"), ("b", "burst"),
        ("o", world.backgroundCount > 0 ? "no observers" : "10k observers"),
      ]
    }
    if dashboard.focusedPane?.isClosable == true { keys.append(("x", "close")) }
    return keys + [("z", dashboard.isZoomed ? "all" : "zoom"), ("↑↓←→", "scroll"), ("v", "bars")]
  }
}
