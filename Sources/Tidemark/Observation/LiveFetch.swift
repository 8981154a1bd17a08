/// A fetch of a source, on a connection that reads one state.
struct LiveFetch {
  var source: AnyLiveSource

  /// Whether what it reads has to be found out.
  var findsRegion: Bool

  /// What was read by the fetch before.
  var lastRead: DatabaseRegion?

  /// Those that are told.
  var observers: [AnyLiveObserver]

  var cancellation: AccessCancellation?
  var deadline: Database.Deadline?

  struct Outcome: Sendable {
    /// Gives an observer what was fetched, and answers whether it has made a value of that.
    var handOver: @Sendable (AnyLiveObserver) -> Bool

    /// What was read, if it was to be found out, and is not what the fetch before has read.
    var read: DatabaseRegion?

    /// What of that can be observed.
    var region: DatabaseRegion?
  }

  func run(_ db: Database) throws -> Outcome {
    for observer in observers { observer.events.willFetch?() }
    let outcome = try cancellable(db) {
      switch source.tracking {
      case _ where !findsRegion: return Outcome(handOver: try source.fetch(db))
      case .whatIsRead, .whatIsReadFirst:
        let (handOver, region) = try db.recordingSelection { try source.fetch(db) }
        return Outcome(handOver: handOver, read: region)
      case .regions(let regions):
        let region = try regions.union(db)
        return Outcome(handOver: try source.fetch(db), read: region)
      }
    }
    guard let read = outcome.read, read != lastRead else { return Outcome(handOver: outcome.handOver) }
    return Outcome(handOver: outcome.handOver, read: read, region: try read.observable(db))
  }

  private func cancellable<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    func limited() throws -> Result { try deadline.map { try db.withDeadline($0, body) } ?? body() }
    return try cancellation.map { try db.withCancellation($0, limited) } ?? limited()
  }
}
