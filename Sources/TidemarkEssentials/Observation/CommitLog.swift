/// The number of a commit: each one that is published has the next one.
typealias CommitNumber = UInt64

/// The commits that running fetches may not have seen.
///
/// A fetch begins when some commit was the last one. What it reads is that commit's state, or a newer one. When it
/// ends, what it has read is known, and is compared with the commits that came after that one: if one of them touches
/// it, the value may be old.
///
/// It keeps what running fetches may ask for, and no more than a number of commits and rows: who asks for what was
/// thrown away is told yes.
struct CommitLog<Changes> {
  private struct Commit {
    var number: CommitNumber

    /// The version of the needs that it was captured for.
    var needsVersion: Int
    var rowCount: Int
    var changes: ShortList<Changes>

    /// Whether everything may have changed.
    var isUnknown: Bool

    /// Whether it is one of somebody else.
    var isOfOthers: Bool
  }

  private let commitCountMax: Int
  private let rowCountMax: Int

  /// The last commit that was published.
  private(set) var last: CommitNumber = 0

  private var commits: ArraySlice<Commit> = []
  private var rowCount = 0

  // By the commit that was the last one when they began.
  private var fetchCounts: [CommitNumber: Int] = [:]

  init(commitCountMax: Int = 256, rowCountMax: Int = 20_000) {
    self.commitCountMax = commitCountMax
    self.rowCountMax = rowCountMax
  }

  /// A fetch begins: its snapshot is taken after this.
  ///
  /// - returns: The commit that its snapshot is at least as new as.
  mutating func begin() -> CommitNumber {
    fetchCounts[last, default: 0] += 1
    return last
  }

  /// A fetch has ended, and has asked what it wanted to know.
  mutating func end(_ number: CommitNumber) {
    guard let count = fetchCounts[number] else { preconditionFailure("A fetch ends that had not begun") }
    fetchCounts[number] = count == 1 ? nil : count - 1
    guard let oldest = fetchCounts.keys.min() else { return clear() }
    while let first = commits.first, first.number <= oldest { drop(first) }
  }

  /// Whether somebody may ask for a commit that is published now.
  var isAsked: Bool { !fetchCounts.isEmpty }

  /// A commit was published of which nobody will ask.
  mutating func skip() {
    precondition(!isAsked, "A commit is skipped that a fetch may ask for")
    last += 1
  }

  /// A commit was published.
  mutating func append(
    _ changes: ShortList<Changes>, rowCount: Int, isUnknown: Bool, isOfOthers: Bool = false, needsVersion: Int = 0
  ) {
    if !isAsked { return skip() }
    last += 1
    commits.append(
      Commit(
        number: last, needsVersion: needsVersion, rowCount: rowCount, changes: changes, isUnknown: isUnknown,
        isOfOthers: isOfOthers))
    self.rowCount += rowCount
    while let first = commits.first, commits.count > commitCountMax || self.rowCount > rowCountMax { drop(first) }
  }

  /// Whether one of the commits after some other one touches what a closure looks for, those of others apart.
  ///
  /// - parameter own: A commit that is not looked at.
  /// - parameter needsVersion: What was captured for older needs may have left out what it looks for.
  func contains(
    after number: CommitNumber, but own: CommitNumber? = nil, needsVersion: Int = 0, where isTouched: (Changes) -> Bool
  ) -> Bool {
    if number == last { return false }
    guard let first = commits.first, first.number <= number + 1 else { return true }
    for commit in commits.reversed() {
      if commit.number <= number { break }
      if commit.isOfOthers || commit.number == own { continue }
      if commit.isUnknown || commit.needsVersion < needsVersion || commit.changes.contains(where: isTouched) {
        return true
      }
    }
    return false
  }

  /// Whether others have committed after some commit.
  func hasOthers(after number: CommitNumber) -> Bool {
    commits.contains { $0.number > number && $0.isOfOthers }
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
