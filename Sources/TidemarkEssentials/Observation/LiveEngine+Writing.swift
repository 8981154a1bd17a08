// Fetches that may write.
//
// What such a fetch writes is committed when it ends, and the connection reports that commit as any other. An
// observation is not triggered by its own fetch: the value has seen what the fetch has written. So the commit is
// recognized, by the count of commits that have written. The connection is in use from the beginning of the transaction
// to the end of the commit: the next commit that is counted is that of the fetch. (A transaction that takes the lock of
// the writer at once is counted even when it has written nothing.) What observers of transactions write after the
// commit is another commit, with the next number.

extension LiveState {
  /// A fetch that is about to be committed.
  struct OwnCommit {
    let key: LiveQueryKey

    /// The commits that the value has seen, but for the own one.
    var fetchStart: FetchStart

    /// Whether the commit may have changed what other observers of the same query were given.
    var isOfQuery = false
  }

  /// The transaction of a fetch is about to be committed. The connection that writes is in use.
  mutating func willCommitOwn(_ key: LiveQueryKey) {
    // Counted with the own commit: whatever is counted later is another one.
    let writeCount = subscription.map { $0.writeCount &+ 1 }
    ownCommit = OwnCommit(
      key: key, fetchStart: FetchStart(commit: log.last, writeCount: writeCount, needsVersion: publishedNeedsVersion))
  }

  /// A commit is reported.
  ///
  /// - returns: The query whose fetch was committed, if it is the commit of a fetch.
  mutating func noteOwnCommit() -> LiveQueryKey? {
    guard let own = ownCommit, own.fetchStart.ownCommit == nil, own.fetchStart.writeCount == subscription?.writeCount
    else {
      return nil
    }
    ownCommit?.fetchStart.ownCommit = log.last
    return own.key
  }
}

extension LiveEngine {
  /// Runs a write transaction that fetches.
  ///
  /// - parameter write: Runs the transaction, and calls its argument at the end of it.
  func writing(
    _ key: LiveQueryKey, _ write: (_ willCommit: () -> Void) throws -> LiveFetch.Outcome?
  ) rethrows -> LiveFetch.Outcome? {
    // There is one around it when an observer of transactions starts an observation.
    let outer = state.withLock { state in
      defer { state.ownCommit = nil }
      return state.ownCommit
    }
    defer { state.withLock { $0.ownCommit = outer } }
    var outcome = try write { state.withLock { $0.willCommitOwn(key) } }
    outcome?.ownCommit = state.withLock { $0.ownCommit }
    return outcome
  }
}
