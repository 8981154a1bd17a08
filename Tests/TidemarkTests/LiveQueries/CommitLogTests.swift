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
}
