/// A fetch of a source, on a connection that reads one state.
struct LiveFetch {
  var source: AnyLiveSource

  /// Whether what it reads has to be found out.
  var findsRegion: Bool

  /// What was read by the fetch before.
  var lastSelection: Selection?

  /// That of the schema it was read with, zero when that is not known, where somebody else may have changed the schema
  /// since; nil where nobody has.
  var schemaVersion: Int32?

  /// Those that are told.
  var observers: [AnyLiveObserver]

  /// For a source that follows rows.
  var news = StateNews()

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

    /// That of the schema, where it was looked at, else zero.
    var schemaVersion: Int32 = 0

    /// That of what was read, if it can be told.
    var digest: ResultDigest?

    /// The commit of the fetch, if it ran in a transaction that may have written.
    var ownCommit: LiveState.OwnCommit?
  }

  /// A bound holds as long as the state does: who does not look at it again has none.
  private var usesBounds: Bool {
    if case .whatIsRead = source.tracking { isReading } else { false }
  }

  /// The version of the schema in one state of a database, looked at once.
  struct SchemaLook {
    private var version: Int32?

    fileprivate mutating func version(_ db: Database) throws -> Int32 {
      if let version { return version }
      let found = Int32(truncatingIfNeeded: try db.mainSchemaVersion())
      version = found
      return found
    }
  }

  /// Fetches, on a connection that reads one state.
  func run(_ db: Database) throws -> Outcome {
    var look = SchemaLook()
    return try run(db, &look)
  }

  /// Fetches on a connection that reads one state, as others have before and will later, with the same look.
  func run(_ db: Database, _ look: inout SchemaLook) throws -> Outcome {
    guard let schemaVersion else { return try runWithSchemaOfBefore(db) }
    var fetch = self
    let version = try look.version(db)
    if version != schemaVersion || version == 0 {
      // What it reads may not be what it was: a table was dropped, and made again with other columns.
      (fetch.findsRegion, fetch.lastSelection) = (true, nil)
    }
    var outcome = try fetch.runWithSchemaOfBefore(db)
    outcome.schemaVersion = version
    return outcome
  }

  private func runWithSchemaOfBefore(_ db: Database) throws -> Outcome {
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
    isDigested ? try db.digesting { try source.fetch(db, news) } : (try source.fetch(db, news), nil)
  }

  private func cancellable<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    func limited() throws -> Result { try deadline.map { try db.withDeadline($0, body) } ?? body() }
    return try cancellation.map { try db.withCancellation($0, limited) } ?? limited()
  }
}
