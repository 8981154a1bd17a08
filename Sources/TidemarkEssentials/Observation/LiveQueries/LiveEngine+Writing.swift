// Fetches that may write.
//
// The writes of such a fetch are committed when it ends, and the connection reports this commit like any other. An
// observation must not be triggered by its own fetch, because the value already includes these writes. So the commit is
// recognized by the number of writing commits. The connection is in use from the beginning of the transaction to the
// end of the commit, so the next counted commit is the commit of the fetch. (An immediate transaction is counted even
// if it has not written anything.) Writes of transaction observers after the commit are another commit, with the next
// number.

extension LiveState {
  /// A fetch that is about to be committed.
  struct OwnCommit {
    let key: LiveQueryKey

    /// The commits that the value includes, except its own.
    var fetchStart: FetchStart

    /// Whether the commit may have changed the value that other observers of the query have received.
    var isOfQuery = false
  }

  /// Called before the transaction of a fetch is committed. The writer connection is in use.
  mutating func willCommitOwn(_ key: LiveQueryKey) {
    // The number of the own commit. Later commits have greater numbers.
    let writeCount = subscription.map { $0.writeCount &+ 1 }
    ownCommit = OwnCommit(
      key: key, fetchStart: FetchStart(commit: log.last, writeCount: writeCount, needsVersion: publishedNeedsVersion))
  }

  /// Called when a commit is reported.
  ///
  /// - Returns: The query whose fetch was committed; nil for any other commit.
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
  /// - Parameter write: Runs the transaction, and calls its argument before the commit.
  func writing(
    _ key: LiveQueryKey, _ write: (_ willCommit: () -> Void) throws -> LiveFetch.Outcome?
  ) rethrows -> LiveFetch.Outcome? {
    // Calls are nested if a transaction observer starts an observation.
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
