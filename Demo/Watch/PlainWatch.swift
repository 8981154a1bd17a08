import Foundation
import Tidemark

/// Writes a line for each change of some queries, until it was enough or a signal comes.
struct PlainWatch {
  private let options: WatchOptions
  private let pool: DatabasePool
  private let queries: [Query]
  private let signals: Signals
  private let inbox: PlainInbox

  init(_ options: WatchOptions, _ pool: DatabasePool, _ queries: [Query]) throws {
    self.options = options
    self.pool = pool
    self.queries = queries
    let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
    self.signals = signals
    inbox = PlainInbox { signals.wake() }
  }

  func run() throws {
    let format = options.format ?? .text
    var writer = PlainWriter(format, isForTerminal: Terminal.isTerminal(STDOUT_FILENO))
    let rowCountMax = options.rowCountMax ?? (format == .text ? 10 : 1000)
    let tasks = queries.enumerated().map { index, query in
      Task { [pool, inbox, interval = Duration.seconds(options.interval)] in
        await Self.follow(query, index, rowCountMax, interval, in: pool, inbox)
      }
    }
    defer { tasks.forEach { $0.cancel() } }
    var changeCount = 0
    while true {
      if let number = waitForSomething() { Signals.die(of: number) }
      let letters = inbox.take()
      for (index, result) in letters.results.sorted(by: { $0.key < $1.key }) {
        changeCount += 1
        let change = PlainChange(number: changeCount, query: index + 1, time: Self.now, result: result)
        try writeAll(Array(writer.lines(for: change).utf8), to: STDOUT_FILENO)
        if changeCount == options.countMax { return }
      }
      if let failure = letters.failure { throw failure }
    }
  }

  private static func follow(
    _ query: Query, _ index: Int, _ rowCountMax: Int, _ interval: Duration, in pool: DatabasePool, _ inbox: PlainInbox
  ) async {
    let observation =
      ValueObservation
      .tracking { db in try PlainResult(db, sql: query.sql, rowCountMax: rowCountMax) }
      .removeDuplicates()
    do {
      for try await result in observation.values(in: pool) {
        inbox.post(result, of: index)
        if interval > .zero { try await Task.sleep(for: interval) }
      }
    } catch is CancellationError {
      return
    } catch {
      inbox.post(.ended("Query \(index + 1) has ended: \(sentence(for: error))"))
    }
  }

  /// - returns: The signal that has come, if it is one.
  private func waitForSomething() -> Int32? {
    // Also when nobody reads the lines any more there is an end, although nothing is written.
    var files = [
      pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
    ]
    poll(&files, 2, -1)
    if files[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return SIGPIPE }
    return signals.take().first
  }

  private static var now: String { Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
