/// An input of the dashboard.
enum Event: Sendable {
  case key(Key)
  case resized(Dashboard.Size)
  case rows(Pane.ID, ResultPage)
  case failed(Pane.ID, String)

  /// The typed SQL is a valid query, or why it is not.
  case checked(sql: String, Result<Query, QueryFailure>)
  case noticed(String, isFailure: Bool)
  case tick(Tick)

  /// Periodic measurements.
  struct Tick: Sendable {
    var figures: Figures
    var commitRate: Double?
    var world: Dashboard.WorldState?
    var slowFetches: [Pane.ID: Duration]
  }
}

/// Why a text is not a query, in a sentence.
struct QueryFailure: Error {
  var sentence: String
}

/// An action that the dashboard requests.
enum Effect: Equatable, Sendable {
  /// Observes the query of a pane instead of its previous one.
  case follow(Pane.ID, Query, PageRequest)
  case stopFollower(Pane.ID)
  case check(sql: String)
  case togglePause
  case changeWriterCount(by: Int)
  case burst
  case toggleBackground
  case redraw
  case suspend
  case quit
}
