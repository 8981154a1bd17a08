/// The number of a published commit: they are consecutive.
typealias CommitNumber = UInt64

/// The commits that running fetches may have missed.
///
/// A fetch begins after some commit. It reads the state of this commit, or a newer one. When it
/// ends, its region is known, and is compared with the commits that followed: if one of them affects the region,
/// the value may be outdated.
///
/// The log keeps the commits that running fetches may need, up to a number of commits and rows: evicted commits are
/// conservatively reported as matching.
struct CommitLog<Changes> {
  private struct Commit {
    var number: CommitNumber

    /// The version of the needs for which it was captured.
    var needsVersion: Int
    var rowCount: Int
    var changes: ShortList<Changes>

    /// Whether everything may have changed.
    var isUnknown: Bool

    /// Whether it is an external commit.
    var isExternal: Bool
  }

  private let commitCountMax: Int
  private let rowCountMax: Int

  /// The last published commit.
  private(set) var last: CommitNumber = 0

  private var commits: ArraySlice<Commit> = []
  private var rowCount = 0

  // The number of running fetches, by the commit after which they began.
  private var fetchCounts: [CommitNumber: Int] = [:]

  init(commitCountMax: Int = 256, rowCountMax: Int = 20_000) {
    self.commitCountMax = commitCountMax
    self.rowCountMax = rowCountMax
  }

  /// Begins a fetch, whose snapshot includes all published commits.
  ///
  /// - Returns: A commit that the snapshot includes.
  mutating func begin() -> CommitNumber {
    fetchCounts[last, default: 0] += 1
    return last
  }

  /// Keeps the commits that a running fetch may need beyond its end. To be balanced with `end`.
  mutating func hold(_ number: CommitNumber) { fetchCounts[number, default: 0] += 1 }

  /// Ends a fetch, after it has used the log.
  mutating func end(_ number: CommitNumber) {
    guard let count = fetchCounts[number] else { preconditionFailure("A fetch ended that was not running") }
    fetchCounts[number] = count == 1 ? nil : count - 1
    guard let oldest = fetchCounts.keys.min() else { return clear() }
    while let first = commits.first, first.number <= oldest { drop(first) }
  }

  /// Whether a fetch may need a commit that is published now.
  var hasRunningFetches: Bool { !fetchCounts.isEmpty }

  /// Publishes a commit that no fetch will need.
  mutating func skip() {
    precondition(!hasRunningFetches, "Commits must not be removed while fetches are running")
    last += 1
  }

  /// Publishes a commit.
  mutating func append(
    _ changes: ShortList<Changes>, rowCount: Int, isUnknown: Bool, isExternal: Bool = false, needsVersion: Int = 0
  ) {
    if !hasRunningFetches { return skip() }
    last += 1
    commits.append(
      Commit(
        number: last, needsVersion: needsVersion, rowCount: rowCount, changes: changes, isUnknown: isUnknown,
        isExternal: isExternal))
    self.rowCount += rowCount
    while let first = commits.first, commits.count > commitCountMax || self.rowCount > rowCountMax { drop(first) }
  }

  /// Whether one of the commits after another one satisfies a closure; external commits are ignored.
  ///
  /// - Parameter own: A commit that is ignored.
  /// - Parameter needsVersion: Commits that were captured for older needs match, because they may lack changes.
  func contains(
    after number: CommitNumber, but own: CommitNumber? = nil, needsVersion: Int = 0, where isTouched: (Changes) -> Bool
  ) -> Bool {
    if number == last { return false }
    guard let first = commits.first, first.number <= number + 1 else { return true }
    for commit in commits.reversed() {
      if commit.number <= number { break }
      if commit.isExternal || commit.number == own { continue }
      if commit.isUnknown || commit.needsVersion < needsVersion || commit.changes.contains(where: isTouched) {
        return true
      }
    }
    return false
  }

  /// Whether there was an external commit after a commit.
  func hasExternalCommits(after number: CommitNumber) -> Bool {
    commits.contains { $0.number > number && $0.isExternal }
  }

  private mutating func drop(_ first: Commit) {
    commits.removeFirst()
    rowCount -= first.rowCount
  }

  private mutating func clear() {
    commits = []
    rowCount = 0
  }
}
