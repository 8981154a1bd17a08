/// A part of the dashboard.
struct Pane: Equatable, Sendable, Identifiable {
  typealias ID = Int

  let id: ID
  var title: String
  var subject: Subject
  var style = Style.table

  /// Whether it was opened by hand, and can be closed by hand.
  var isClosable = false

  /// What came last.
  var page: ResultPage?

  /// Why nothing comes any more.
  var failure: String?

  /// How long the fetch that runs has been running, if it takes long.
  var slowFetch: Duration?

  /// The first row and column that are shown.
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

  /// The rows that are wanted around those that are shown; nil when those at hand will do.
  ///
  /// - parameter height: How many rows are shown.
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
