import Foundation
import Tidemark

/// Writes lines for each change of some queries, until a limit is reached or a signal arrives.
///
/// A query that fails, and a file that has disappeared, are reported on standard error and retried every second.
struct PlainWatch {
  private let options: WatchOptions
  private var file: WatchedFile
  private let queries: [Query]
  private let signals: Signals
  private let inbox: PlainInbox

  /// The pause after a failure, and between two checks of the file.
  private static let pause = Duration.seconds(1)

  init(_ options: WatchOptions, _ file: WatchedFile, _ queries: [Query]) throws {
    self.options = options
    self.file = file
    self.queries = queries
    let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
    self.signals = signals
    inbox = PlainInbox { signals.wake() }
  }

  mutating func run() throws {
    var writer = PlainWriter(format, isForTerminal: Terminal.isTerminal(STDOUT_FILENO))
    var tasks = follow()
    defer { tasks.forEach { $0.cancel() } }
    var failures: [Int: String] = [:]
    var changeCount = 0
    while true {
      if let number = waitForSomething() { Signals.die(of: number) }
      switch file.checkFile() {
      case nil: break
      case .opened:
        tasks.forEach { $0.cancel() }
        tasks = follow()
      case .failed(let sentence):
        tasks.forEach { $0.cancel() }
        Demo.complain("\(file.path): \(sentence). It is tried again every second")
      }
      let messages = inbox.take()
      for (index, result) in messages.results.sorted(by: { $0.key < $1.key }) {
        failures[index] = nil
        changeCount += 1
        let change = PlainChange(number: changeCount, query: index + 1, time: Self.now, result: result)
        try writeAll(Array(writer.lines(for: change).utf8), to: STDOUT_FILENO)
        if changeCount == options.countMax { return }
      }
      for (index, sentence) in messages.failures.sorted(by: { $0.key < $1.key }) where failures[index] != sentence {
        failures[index] = sentence
        Demo.complain("Query \(index + 1): \(sentence). It is tried again every second")
      }
    }
  }

  private var format: PlainFormat { options.format ?? .text }

  /// Observes all queries in the current file.
  private func follow() -> [Task<Void, Never>] {
    let rowCountMax = options.rowCountMax ?? (format == .text ? 10 : 1000)
    let interval = Duration.seconds(options.interval)
    return queries.enumerated().map { index, query in
      Task { [pool = file.pool, inbox] in await Self.follow(query, index, rowCountMax, interval, in: pool, inbox) }
    }
  }

  private static func follow(
    _ query: Query, _ index: Int, _ rowCountMax: Int, _ interval: Duration, in pool: DatabasePool, _ inbox: PlainInbox
  ) async {
    let observation =
      ValueObservation
      .tracking { db in try PlainResult(db, sql: query.sql, rowCountMax: rowCountMax) }
      .removeDuplicates()
    while !Task.isCancelled {
      do {
        for try await result in observation.values(in: pool) {
          if Task.isCancelled { return }
          inbox.post(result, of: index)
          if interval > .zero { try await Task.sleep(for: interval) }
        }
      } catch is CancellationError {
        return
      } catch {
        inbox.post(failure: sentence(for: error), of: index)
      }
      // The sequence throws when the task is cancelled, which ends the loop.
      try? await Task.sleep(for: pause)
    }
  }

  /// - Returns: The signal that has arrived, if any.
  private func waitForSomething() -> Int32? {
    // End also when the reader has closed the output, although nothing is written.
    var files = [
      pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
    ]
    poll(&files, 2, Int32(Self.pause.inSeconds * 1000))
    if files[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return SIGPIPE }
    return signals.take().first
  }

  private static var now: String { Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
