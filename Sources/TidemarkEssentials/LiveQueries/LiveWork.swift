/// What an engine must do after it has released its lock, in the order of the properties.
struct LiveWork: Sendable {
  /// The database has reported all changes of the last commit: queries with incremental results need to know.
  var confirmsCommit = false

  /// Observers to notify of a commit that may have changed their values.
  var notified: [LiveObserverID] = []

  /// Observers and queries that were removed: their objects are released. If the event was a failure, it is reported to
  /// these observers.
  var removedObservers: [LiveObserverID] = []
  var removedQueries: [LiveQueryID] = []

  /// The commits of the database are not needed any more.
  var endsWatch = false

  /// Receiving the commits of the database must begin, with these needs. `LiveState.watchBegan` follows.
  var beginsWatch: Needs?

  /// The needs have changed. `LiveState.needsPublished` follows.
  var publishesNeeds: Needs?

  /// A connection to request for fetches, and for fetches with write access.
  var startsReading = false
  var startsWriting = false

  /// A watchdog to start. It checks later whether queries still wait.
  var watchdog: (number: Int, delay: Duration)?

  /// A query to fetch again after a pause.
  var pause: (Duration, LiveQueryID)?

  /// The required information about changes, at a version of the index.
  struct Needs: Sendable {
    var needs: CaptureNeeds
    var version: Int

    /// The number of the watch.
    var watch: Int
  }
}
