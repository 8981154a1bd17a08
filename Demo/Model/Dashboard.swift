/// All that the screen shows, as a value.
///
/// What happens comes in as events, what is to be done goes out as effects: see `handle`. There is no task, no database
/// and no terminal in here.
struct Dashboard: Equatable, Sendable {
  var title: String
  var panes: [Pane]
  var focus = 0

  /// Whether the pane that has the focus takes the whole screen.
  var isZoomed = false
  var mode = Mode.panes
  var prompt = Prompt()
  var figures = Figures()
  var commitRates = SampleWindow(countMax: 600)

  /// What the writers do, where there are some.
  var world: WorldState?

  /// What is told for a moment.
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

  /// Where a query is typed.
  struct Prompt: Equatable, Sendable {
    var editor = LineEditor()

    /// Why the query that was typed is none.
    var failure: String?

    /// Whether the query is being looked at.
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

    /// How many ticks of the clock it is still shown.
    var ticksLeft = 10
  }

  init(title: String, panes: [Pane], world: WorldState? = nil) {
    self.title = title
    self.panes = panes
    self.world = world
    lastID = panes.map(\.id).max() ?? 0
  }

  /// A pane for a query, as the last one.
  mutating func addPane(_ query: Query) -> Pane {
    lastID += 1
    let pane = Pane(id: lastID, title: query.title, subject: .query(query, PageRequest()), isClosable: true)
    panes.append(pane)
    return pane
  }

  var focusedPane: Pane? { panes.indices.contains(focus) ? panes[focus] : nil }
}
