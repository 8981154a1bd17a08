/// A pane of the dashboard.
struct Pane: Equatable, Sendable, Identifiable {
  typealias ID = Int

  let id: ID
  var title: String
  var subject: Subject
  var style = Style.table

  /// Whether the user has opened it, and can close it.
  var isClosable = false

  /// The last value.
  var page: ResultPage?

  /// The error that ended the observation.
  var failure: String?

  /// The duration of the running fetch, if it is long.
  var slowFetch: Duration?

  /// The first visible row and column.
  var row = 0
  var column = 0

  enum Subject: Equatable, Sendable {
    case query(Query, PageRequest)
    case commitRate
    case engine
  }

  enum Style: Sendable {
    case table, bars
  }

  /// The rows to load; nil if the visible ones are loaded.
  ///
  /// - Parameter height: The number of visible rows.
  func missingPage(height: Int) -> PageRequest? {
    guard case .query(_, let request) = subject else { return nil }
    guard let page else { return nil }
    let isBefore = row < page.offset
    let isBehind = page.hasMore && row + height > page.end
    if !isBefore, !isBehind { return nil }
    var wanted = request
    wanted.offset = max(0, (row - PageRequest.step / 2) / PageRequest.step * PageRequest.step)
    return wanted == request ? nil : wanted
  }
}
