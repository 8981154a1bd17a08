/// The whole state of the screen, as a value.
///
/// `handle` receives events and returns effects. It uses no task, no database
/// and no terminal.
struct Dashboard: Equatable, Sendable {
  var title: String
  var panes: [Pane]
  var focus = 0

  /// Whether the focused pane fills the screen.
  var isZoomed = false
  var mode = Mode.panes
  var prompt = Prompt()
  var figures = Figures()
  var commitRates = SampleWindow(countMax: 600)

  /// The activity of the writers; nil if there are none.
  var world: WorldState?

  /// A message that is shown for a short time.
  var notice: Notice?

  /// The size of the screen.
  var size = Size(width: 80, height: 24)

  private var lastID: Pane.ID

  struct Size: Equatable, Sendable {
    var width: Int
    var height: Int
  }

  enum Mode: Equatable, Sendable {
    case panes
    case prompt
    case help(firstLine: Int)
  }

  /// The line in which the user types a query.
  struct Prompt: Equatable, Sendable {
    var editor = LineEditor()

    /// Why the text is not a valid query.
    var failure: String?

    /// Whether the query is being checked.
    var isChecking = false
  }

  struct WorldState: Equatable, Sendable {
    var writerCount = 0
    var isPaused = false
    var backgroundCount = 0
    var isBursting = false
  }

  struct Notice: Equatable, Sendable {
    var text: String
    var isFailure = false

    /// The number of clock ticks for which it remains visible.
    var ticksLeft = 10
  }

  init(title: String, panes: [Pane], world: WorldState? = nil) {
    self.title = title
    self.panes = panes
    self.world = world
    lastID = panes.map(\.id).max() ?? 0
  }

  /// Appends a pane for a query.
  mutating func addPane(_ query: Query) -> Pane {
    lastID += 1
    let pane = Pane(id: lastID, title: query.title, subject: .query(query, PageRequest()), isClosable: true)
    panes.append(pane)
    return pane
  }

  /// The title, with the state of the node if there is one.
  var shownTitle: String { figures.node.map { "\(title) · \($0.name)" } ?? title }

  var focusedPane: Pane? { panes.indices.contains(focus) ? panes[focus] : nil }
}
