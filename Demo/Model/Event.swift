/// What happens to the dashboard.
enum Event: Sendable {
  case key(Key)
  case resized(Dashboard.Size)
  case rows(Pane.ID, ResultPage)
  case failed(Pane.ID, String)

  /// The SQL that was typed is a query, or why it is none.
  case checked(sql: String, Result<Query, QueryFailure>)
  case noticed(String, isFailure: Bool)
  case tick(Tick)

  /// What is measured from time to time.
  struct Tick: Sendable {
    var figures: Figures
    var commitRate: Double?
    var world: Dashboard.WorldState?
    var slowFetches: [Pane.ID: Duration]
  }
}

/// Why a text is no query, in a sentence.
struct QueryFailure: Error {
  var sentence: String
}

/// What is to be done because of an event.
enum Effect: Equatable, Sendable {
  /// Follows the query of a pane, and no more the one it had.
  case follow(Pane.ID, Query, PageRequest)
  case stopFollowing(Pane.ID)
  case check(sql: String)
  case togglePause
  case changeWriterCount(by: Int)
  case burst
  case toggleBackground
  case redraw
  case suspend
  case quit
}
