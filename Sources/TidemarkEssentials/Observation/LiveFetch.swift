/// A fetch of a source, on a connection that reads one state.
struct LiveFetch {
  var source: AnyLiveSource

  /// Whether what it reads has to be found out.
  var findsRegion: Bool

  /// What was read by the fetch before.
  var lastSelection: Selection?

  /// Those that are told.
  var observers: [AnyLiveObserver]

  /// Whether nothing is written while it runs.
  var isReading = true

  /// Whether somebody may want to know whether what it reads is what the fetch before has read.
  var isDigested = false

  var cancellation: AccessCancellation?
  var deadline: Database.Deadline?

  struct Outcome: Sendable {
    /// Gives an observer what was fetched, and answers whether it has made a value of that.
    var handOver: @Sendable (AnyLiveObserver) -> Bool

    /// What was read, if it was to be found out, and is not what the fetch before has read.
    var selection: Selection?

    /// What of that can be observed.
    var region: DatabaseRegion?

    /// That of what was read, if it can be told.
    var digest: ResultDigest?
  }

  /// A bound holds as long as the state does: who does not look at it again has none.
  private var usesBounds: Bool {
    if case .whatIsRead = source.tracking { isReading } else { false }
  }

  func run(_ db: Database) throws -> Outcome {
    for observer in observers { observer.events.willFetch?() }
    let (fetched, selection) = try cancellable(db) { () -> (Fetched, Selection?) in
      switch source.tracking {
      case _ where !findsRegion:
        return (try fetch(db), nil)
      case .whatIsRead, .whatIsReadFirst:
        return try db.recordingSelection(usesBounds: usesBounds) { try fetch(db) }
      case .regions(let regions):
        let selection = Selection(try regions.union(db))
        return (try fetch(db), selection)
      }
    }
    var outcome = Outcome(handOver: fetched.handOver, digest: fetched.digest)
    guard let selection, selection != lastSelection else { return outcome }
    outcome.selection = selection
    outcome.region = try selection.region.observable(db)
    return outcome
  }

  private typealias Fetched = (handOver: @Sendable (AnyLiveObserver) -> Bool, digest: ResultDigest?)

  private func fetch(_ db: Database) throws -> Fetched {
    isDigested ? try db.digesting { try source.fetch(db) } : (try source.fetch(db), nil)
  }

  private func cancellable<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    func limited() throws -> Result { try deadline.map { try db.withDeadline($0, body) } ?? body() }
    return try cancellation.map { try db.withCancellation($0, limited) } ?? limited()
  }
}
