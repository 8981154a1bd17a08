/// Facts about the snapshot from which a query is fetched.
struct SnapshotChanges: Sendable {
  /// For a query that is updated row by row: the rows that have changed since its last fetch.
  var rows = ChangedRows.any

  /// For a query that is updated row by row: a number that differs from the last fetch if there were external commits
  /// meanwhile whose rows are not known. See `ExternalCommitNumbering`.
  var externalCommits: Int64 = 0

  /// Whether only these rows have changed, if the number is the same.
  var isComplete = false

  /// For a query that reports it: the version of the snapshot, or an earlier one; nil if it is unknown.
  var version: DatabaseVersion?
}

/// A fetch of a source, on a connection with a snapshot.
struct LiveFetch {
  var source: any LiveSource

  /// Whether its region must be determined.
  var findsRegion: Bool

  /// The reads of the previous fetch.
  var lastReadSet: ReadSet?

  /// The version of the schema with which the reads were determined, zero if unknown, if the schema may have changed
  /// since by an external commit; otherwise nil.
  var schemaVersion: Int32?

  /// The observers to notify.
  var observers: [any LiveObserver]

  /// For a source that is updated row by row.
  var snapshotChanges = SnapshotChanges()

  /// Whether nothing is written while it runs.
  var isReading = true

  /// Whether its result may be compared with the result of the previous fetch.
  var isDigested = false

  var cancellation: AccessCancellation?
  var deadline: Database.Deadline?

  struct Outcome: Sendable {
    /// The result to pass to the observers.
    var value: any FetchedValue
    var facts: Facts
  }

  /// The facts about a query that a fetch has found.
  struct Facts: Sendable {
    /// The reads, if they were determined, and differ from the previous fetch.
    var readSet: ReadSet?

    /// The observable region of the reads.
    var region: DatabaseRegion?

    /// The version of the schema, if it was read, else zero.
    var schemaVersion: Int32 = 0

    /// The digest of the results, if it is known.
    var digest: ResultDigest?

    /// The commit of the fetch, if it ran in a transaction that may have written.
    var ownCommit: LiveState.OwnCommit?
  }

  /// A bound is valid for a snapshot only: fetches that do not determine their region again have none.
  private var usesBounds: Bool {
    if case .readRegion = source.tracking { isReading } else { false }
  }

  /// The version of the schema in a snapshot, read once.
  struct SchemaVersionCheck {
    private var version: Int32?

    fileprivate mutating func version(_ db: Database) throws -> Int32 {
      if let version { return version }
      let found = Int32(truncatingIfNeeded: try db.mainSchemaVersion())
      version = found
      return found
    }
  }

  /// Fetches, on a connection with a snapshot.
  func run(_ db: Database) throws -> Outcome {
    var schemaCheck = SchemaVersionCheck()
    return try run(db, &schemaCheck)
  }

  /// Fetches on a connection with a snapshot that other fetches share, with the same schema version.
  func run(_ db: Database, _ schemaCheck: inout SchemaVersionCheck) throws -> Outcome {
    guard let schemaVersion else { return try runWithPreviousSchema(db) }
    var fetch = self
    let version = try schemaCheck.version(db)
    if version != schemaVersion || version == 0 {
      // The statements may read other columns now: a table was dropped, and created again.
      (fetch.findsRegion, fetch.lastReadSet) = (true, nil)
    }
    var outcome = try fetch.runWithPreviousSchema(db)
    outcome.facts.schemaVersion = version
    return outcome
  }

  private func runWithPreviousSchema(_ db: Database) throws -> Outcome {
    for observer in observers { observer.events.willFetch?() }
    let (fetched, readSet) = try cancellable(db) { () -> (Fetched, ReadSet?) in
      switch source.tracking {
      case _ where !findsRegion:
        return (try fetch(db), nil)
      case .readRegion, .initialReadRegion:
        return try db.recordingReads(usesBounds: usesBounds) { try fetch(db) }
      case .regions(let regions):
        let readSet = ReadSet(try regions.union(db))
        return (try fetch(db), readSet)
      }
    }
    var outcome = Outcome(value: fetched.value, facts: Facts(digest: fetched.digest))
    guard let readSet, readSet != lastReadSet else { return outcome }
    outcome.facts.readSet = readSet
    outcome.facts.region = try readSet.region.observable(db)
    return outcome
  }

  private typealias Fetched = (value: any FetchedValue, digest: ResultDigest?)

  private func fetch(_ db: Database) throws -> Fetched {
    isDigested
      ? try db.digesting { try source.fetch(db, snapshotChanges) } : (try source.fetch(db, snapshotChanges), nil)
  }

  private func cancellable<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    func limited() throws -> Result { try deadline.map { try db.withDeadline($0, body) } ?? body() }
    return try cancellation.map { try db.withCancellation($0, limited) } ?? limited()
  }
}
