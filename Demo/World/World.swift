import Foundation
import Tidemark

/// A market with active writers, in a temporary database or on a node of a cluster.
final class World: Sendable {
  static let writerCountMax = 64
  static let backgroundCount = 10_000
  static let burstCount = 10_000

  let database: any MarketDatabase
  let commits = CommitClock()

  /// The folder of a temporary database.
  private let folder: MarketFolder?
  private let state: Locked<State>

  private struct State {
    var writers: [Task<Void, Never>] = []
    var writerCount: Int
    var isPaused = true
    var background: Task<Void, Never>?
    var isBursting = false
    var commitCount = 0
  }

  /// Opens a market in a temporary database. The writers start with `togglePause`.
  convenience init(writerCount: Int) throws {
    let folder = try MarketFolder()
    let pool = try DatabasePool(path: folder.path + "/market.sqlite")
    try pool.write(Market.create)
    self.init(pool, in: folder, writerCount: writerCount)
  }

  /// Opens the market of a database that contains one.
  init(_ database: any MarketDatabase, in folder: MarketFolder? = nil, writerCount: Int) {
    (self.database, self.folder) = (database, folder)
    state = Locked(State(writerCount: writerCount))
  }

  /// Stops all tasks, closes the database, and removes it if it is temporary.
  func close() {
    state.withLock { state in
      state.writers.forEach { $0.cancel() }
      state.background?.cancel()
      state.writers = []
      state.background = nil
    }
    // A database that cannot be closed is removed all the same.
    try? database.close()
    folder?.remove()
  }

  /// The number of transactions that the writers have committed.
  var commitCount: Int { state.withLock { $0.commitCount } }

  var shown: Dashboard.WorldState {
    state.withLock { state in
      Dashboard.WorldState(
        writerCount: state.writerCount, isPaused: state.isPaused,
        backgroundCount: state.background == nil ? 0 : Self.backgroundCount, isBursting: state.isBursting)
    }
  }

  // MARK: - Writers

  func togglePause(_ notify: @escaping @Sendable (Event) -> Void) {
    state.withLock { $0.isPaused.toggle() }
    adjustWriters(notify)
  }

  func changeWriterCount(by step: Int, _ notify: @escaping @Sendable (Event) -> Void) {
    state.withLock { $0.writerCount = max(0, min($0.writerCount + step, Self.writerCountMax)) }
    adjustWriters(notify)
  }

  private func adjustWriters(_ notify: @escaping @Sendable (Event) -> Void) {
    state.withLock { state in
      let count = state.isPaused ? 0 : state.writerCount
      while state.writers.count > count { state.writers.removeLast().cancel() }
      while state.writers.count < count {
        state.writers.append(Task { [weak self] in await self?.write(notify) })
      }
    }
  }

  /// Writes until the task is cancelled.
  private func write(_ notify: @Sendable (Event) -> Void) async {
    while !Task.isCancelled {
      do {
        let start = ContinuousClock.now
        let (event, end) = try await transact()
        commits.add(event: event, at: end, after: .now - start)
        state.withLock { $0.commitCount += 1 }
        try await Task.sleep(for: .milliseconds(Int.random(in: 5...30)))
      } catch is CancellationError {
        // Paused, or the number of writers was reduced.
        return
      } catch  where database.mayPass(error) {
        notify(.noticed("A write has failed: \(sentence(for: error))", isFailure: true))
      } catch {
        return notify(.noticed("A writer has given up: \(sentence(for: error))", isFailure: true))
      }
    }
  }

  /// Executes a random transaction.
  ///
  /// - Returns: The number of its event, and the time just before its commit.
  private func transact() async throws -> (event: Int64, end: ContinuousClock.Instant) {
    try await database.transact { db in
      var random = SystemRandomNumberGenerator()
      return (try TraderOperation.next(&random)(db, &random), ContinuousClock.now)
    }
  }

  /// Inserts many rows in one transaction.
  func burst(_ notify: @escaping @Sendable (Event) -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isBursting = true }
      return !state.isBursting
    }
    guard isFirst else { return }
    Task {
      let start = ContinuousClock.now
      do {
        try await database.transact { db in
          for number in 0..<Self.burstCount {
            try TraderOperation.insertOrder(
              db, customer: 1 + number % Market.customerCount, product: 1 + number % Market.products.count, quantity: 1)
          }
        }
        let duration = NumberText.seconds((.now - start).inSeconds)
        notify(
          .noticed("\(NumberText.grouped(Self.burstCount)) orders in one transaction: \(duration)", isFailure: false))
      } catch {
        notify(.noticed("The burst has failed: \(sentence(for: error))", isFailure: true))
      }
      state.withLock { $0.isBursting = false }
    }
  }

  // MARK: - Background

  /// Starts many observations whose values are not shown, or stops them.
  ///
  /// Each observes the total of one customer: an order invalidates only the queries of its customer. Four of them have
  /// the same query, and share its fetches.
  func toggleBackground() {
    state.withLock { state in
      if let background = state.background {
        background.cancel()
        state.background = nil
        return
      }
      state.background = Task { [database] in
        await withDiscardingTaskGroup { group in
          for customer in 1...(Self.backgroundCount / 4) {
            let spent = ValueObservation.tracking { db in
              try Int.fetchOne(db, sql: "SELECT spent FROM customer WHERE id = ?", arguments: [customer])
            }
            for _ in 0..<4 {
              group.addTask {
                // It ends with its task, or when the market closes.
                do { for try await _ in spent.values(in: database) {} } catch {}
              }
            }
          }
        }
      }
    }
  }
}
