import Testing

import Tidemark
@testable import TidemarkEssentials

/// The commits that running fetches may have missed.
@Suite struct CommitLogTests {
  @Test func fetchesSeeTheCommitsSinceTheirStart() {
    var log = CommitLog<String>()
    log.append(ShortList(["early"]), rowCount: 1, isUnknown: false)
    let number = log.begin()
    log.append(ShortList(["a", "b"]), rowCount: 2, isUnknown: false)
    #expect(log.contains(after: number) { $0 == "b" })
    #expect(!log.contains(after: number) { $0 == "early" })
    log.end(number)
  }

  @Test func unknownCommitsTouchEverything() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(), rowCount: 0, isUnknown: true)
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func evictedCommitsAreReportedAsMatching() {
    var log = CommitLog<String>(commitCountMax: 2)
    let first = log.begin()
    for _ in 0..<3 { log.append(ShortList(["x"]), rowCount: 1, isUnknown: false) }
    let second = log.begin()
    #expect(log.contains(after: first) { _ in false })
    #expect(!log.contains(after: second) { _ in false })
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(!log.contains(after: second) { _ in false })
    #expect(log.contains(after: second) { _ in true })
  }

  @Test func logSizeIsBoundedByRows() {
    var log = CommitLog<String>(rowCountMax: 10)
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 11, isUnknown: false)
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func commitsAreNotKeptWithoutFetches() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    log.end(number)
    let later = log.begin()
    #expect(!log.contains(after: later) { _ in true })
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func `by default, 256 commits and 20,000 rows are kept`() {
    var log = CommitLog<String>()
    var number = log.begin()
    for _ in 1...256 { log.append(ShortList(["x"]), rowCount: 1, isUnknown: false) }
    #expect(!log.contains(after: number) { _ in false })
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(log.contains(after: number) { _ in false })
    log.end(number)
    // The rows of former commits do not count.
    number = log.begin()
    log.append(ShortList(["x"]), rowCount: 20_000, isUnknown: false)
    #expect(!log.contains(after: number) { _ in false })
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func `commits that an earlier fetch needs do not concern a later one`() {
    var log = CommitLog<String>()
    _ = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    let later = log.begin()
    log.append(ShortList(["y"]), rowCount: 1, isUnknown: false)
    #expect(!log.contains(after: later) { $0 == "x" })
  }

  @Test func `a commit without a version was captured for the oldest needs`() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(log.contains(after: number, needsVersion: 1) { _ in false })
  }

  @Test func `commits are kept while a fetch is held beyond its end`() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    log.hold(number)
    log.end(number)
    #expect(log.contains(after: number) { $0 == "x" })
    #expect(!log.contains(after: number) { $0 == "y" })
    log.end(number)
    #expect(!log.hasRunningFetches)
  }

  @Test func `external commits match nothing, and are reported separately`() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: true, isExternal: true)
    #expect(!log.contains(after: number) { _ in true })
    #expect(log.hasExternalCommits(after: number))
    #expect(!log.hasExternalCommits(after: log.last))
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(log.contains(after: number) { _ in true })
    #expect(!log.hasExternalCommits(after: 1))
  }

  @Test func `a fetch's own commit is ignored, and the others are not`() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["own"]), rowCount: 1, isUnknown: false)
    #expect(!log.contains(after: number, but: 1) { _ in true })
    log.append(ShortList(["other"]), rowCount: 1, isUnknown: false)
    #expect(log.contains(after: number, but: 1) { $0 == "other" })
    #expect(log.contains(after: number, but: 2) { $0 == "own" })
  }

  @Test func `commits that were captured for older needs match`() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false, needsVersion: 2)
    #expect(log.contains(after: number, needsVersion: 3) { _ in false })
    #expect(!log.contains(after: number, needsVersion: 2) { _ in false })
    #expect(!log.contains(after: number) { _ in false })
  }

  @Test func `commits are kept for the oldest running fetch`() {
    var log = CommitLog<String>()
    let oldest = log.begin()
    log.append(ShortList(["first"]), rowCount: 1, isUnknown: false)
    let newest = log.begin()
    log.append(ShortList(["second"]), rowCount: 1, isUnknown: false)
    log.end(newest)
    #expect(log.contains(after: oldest) { $0 == "first" })
    #expect(!log.contains(after: oldest) { _ in false })
  }

  @Test func `the end of the oldest fetch keeps the commits of the next one`() {
    var log = CommitLog<String>()
    let oldest = log.begin()
    log.append(ShortList(["first"]), rowCount: 1, isUnknown: false)
    let newest = log.begin()
    log.append(ShortList(["second"]), rowCount: 1, isUnknown: false)
    log.end(oldest)
    #expect(log.contains(after: newest) { $0 == "second" })
    #expect(!log.contains(after: newest) { _ in false })
    // The first commit was removed.
    #expect(log.contains(after: oldest) { _ in false })
  }

  @Test func `each of several fetches that began after the same commit keeps the log`() {
    var log = CommitLog<String>()
    let (first, second) = (log.begin(), log.begin())
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    log.end(first)
    #expect(log.hasRunningFetches)
    #expect(!log.contains(after: second) { _ in false })
    log.end(second)
    #expect(!log.hasRunningFetches)
  }

  @Test func `a log holds as many commits and rows as its bounds`() {
    var log = CommitLog<String>(commitCountMax: 2, rowCountMax: 10)
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 4, isUnknown: false)
    log.append(ShortList(["x"]), rowCount: 6, isUnknown: false)
    #expect(!log.contains(after: number) { _ in false })
    // The third one evicts the first one, whose rows make room.
    log.append(ShortList(["x"]), rowCount: 4, isUnknown: false)
    #expect(log.contains(after: number) { _ in false })
    #expect(!log.contains(after: number + 1) { _ in false })
    // Two more evict the second one, because of its rows.
    log.append(ShortList(["x"]), rowCount: 7, isUnknown: false)
    #expect(log.contains(after: number + 2) { _ in false })
    #expect(!log.contains(after: number + 3) { _ in false })
  }

  @Test func `commits without running fetches are counted`() {
    var log = CommitLog<String>()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    log.skip()
    #expect(log.last == 2)
    #expect(log.begin() == 2)
  }

  @Test func `the rows of removed commits no longer count`() {
    var log = CommitLog<String>(rowCountMax: 10)
    let first = log.begin()
    log.append(ShortList(["x"]), rowCount: 9, isUnknown: false)
    log.end(first)
    let second = log.begin()
    log.append(ShortList(["x"]), rowCount: 9, isUnknown: false)
    #expect(!log.contains(after: second) { _ in false })
  }
}
