import StressSupport
import Tidemark

/// A planted fault, which the run must detect.
enum ShapeFault: Sendable {
  /// Changes of the first table that a query reads are not noticed.
  case ignoredTable

  /// A copy that follows the changes omits one of each transaction.
  case omittedChange
}

/// An observed query, with the values that were delivered.
final class ObservedShape {
  let query: ShapeQuery

  /// The current result, fetched without observation.
  var result: String

  /// Whether changed rows can be fetched one by one.
  private(set) var isIncremental = false

  /// The number of region notifications when the result was fetched.
  var seenNotificationCount = 0

  private let value = Mutex<String?>(nil)
  private let notificationCount = Mutex(0)
  private let hasFailed = Mutex(false)

  /// The list to which differences are applied.
  private let list = Mutex<[ShapeRecord]>([])
  private let error = Mutex<String?>(nil)
  private var cancellables: [AnyDatabaseCancellable] = []

  init(_ query: ShapeQuery, in database: any DatabaseWriter, fault: ShapeFault?) throws {
    self.query = query
    result = try database.read { query.text($0) }
    if fault == .ignoredTable {
      let region = NarrowedRegion(tables: Array(query.tables.dropFirst()))
      observe(ValueObservation.tracking(region: region) { query.text($0) }, in: database)
      return
    }
    switch query.observation {
    case .ofReads: observe(ValueObservation.tracking { query.text($0) }, in: database)
    case .constantRegion: observe(ValueObservation.trackingConstantRegion { query.text($0) }, in: database)
    case .givenRegion: observe(ValueObservation.tracking(region: query.request) { query.text($0) }, in: database)
    case .shared: share(ValueObservation.tracking { query.text($0) }, in: database)
    case .sharedDifferences: shareDifferences(in: database)
    case .differences, .differencesByRow:
      isIncremental = try query.observation == .differencesByRow && database.read { try query.isIncremental($0) }
      followDifferences(in: database)
    }
    let second = query.second.map { SQLRequest<Row>(sql: $0) }
    let observation = DatabaseRegionObservation(tracking: [query.request] + (second.map { [$0] } ?? []))
    cancellables.append(
      observation.start(in: database, onError: { [hasFailed] _ in hasFailed.withLock { $0 = true } }) {
        [notificationCount] _ in
        notificationCount.withLock { $0 += 1 }
      })
  }

  private func observe<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, in database: any DatabaseWriter
  ) where Reducer.Value == String, Reducer.Fetched: Sendable {
    cancellables.append(
      observation.start(in: database, scheduling: InlineScheduler(), onError: { _ in }) { [value] text in
        value.withLock { $0 = text }
      })
  }

  private func share<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, in database: any DatabaseWriter
  ) where Reducer.Value == String, Reducer.Fetched: Sendable {
    let shared = observation.shared(in: database, scheduling: InlineScheduler())
    cancellables.append(shared.start(onError: { _ in }, onChange: { _ in }))
    cancellables.append(
      shared.start(onError: { _ in }) { [value] text in
        value.withLock { $0 = text }
      })
  }

  private func followDifferences(in database: any DatabaseWriter) {
    cancellables.append(
      query.differences().start(in: database, scheduling: InlineScheduler(), onError: noteError, onChange: follow))
  }

  private func shareDifferences(in database: any DatabaseWriter) {
    let shared = query.differences().shared(in: database, scheduling: InlineScheduler())
    cancellables.append(shared.start(onError: { _ in }, onChange: { _ in }))
    cancellables.append(shared.start(onError: noteError, onChange: follow))
  }

  private var noteError: @Sendable (any Error) -> Void {
    { [error] in error.withLock { [text = ShapeQuery.text($0)] in $0 = text } }
  }

  private var follow: @Sendable (KeyedDifference<ShapeRecord>) -> Void {
    { [query, list, value] difference in
      let text = list.withLock { list in
        list.apply(difference)
        return query.text(list)
      }
      value.withLock { $0 = text }
    }
  }

  /// The last delivered value, or the error that has ended the observation.
  var last: String? { endingError ?? value.withLock { $0 } }

  /// The rows in their order, to which differences were applied; nil for other observations.
  var rows: [String]? { query.observation.hasDifferences ? list.withLock { $0.map(\.text) } : nil }

  /// The error that has ended the observation of differences.
  var endingError: String? { error.withLock { $0 } }

  /// The number of transactions that the region observation has reported.
  var currentNotificationCount: Int { notificationCount.withLock { $0 } }

  /// Whether the region observation has ended, because its region could not be determined.
  var isWithoutNotifications: Bool { hasFailed.withLock { $0 } }

  func cancel() {
    for cancellable in cancellables { cancellable.cancel() }
  }
}

/// The region of some of the tables that a query reads.
private struct NarrowedRegion: DatabaseRegionConvertible {
  let tables: [String]

  func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try tables.reduce(into: DatabaseRegion()) { region, table in
      region.formUnion(try SQLRequest<Row>(sql: "SELECT * FROM \(table)").databaseRegion(db))
    }
  }
}
