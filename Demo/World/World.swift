import Foundation
import Tidemark

/// A market in a temporary database, with active writers.
final class World: Sendable {
  static let writerCountMax = 64
  static let backgroundCount = 10_000
  static let burstCount = 10_000

  let pool: DatabasePool
  let commits = CommitClock()
  private let folder: MarketFolder
  private let state: Locked<State>

  private struct State {
    var writers: [Task<Void, Never>] = []
    var writerCount: Int
    var isPaused = true
    var background: Task<Void, Never>?
    var isBursting = false
    var commitCount = 0
  }

  /// Opens the market. The writers start with `togglePause`.
  init(writerCount: Int) throws {
    folder = try MarketFolder()
    state = Locked(State(writerCount: writerCount))
    pool = try DatabasePool(path: folder.path + "/market.sqlite")
    try pool.write(Market.create)
  }

  /// Stops all tasks, and removes the database.
  func close() {
    state.withLock { state in
      state.writers.forEach { $0.cancel() }
      state.background?.cancel()
      state.writers = []
      state.background = nil
    }
    // A database that cannot be closed is removed all the same.
    try? pool.close()
    folder.remove()
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
    do {
      while !Task.isCancelled {
        let start = ContinuousClock.now
        let (event, end) = try await pool.write { db in
          var random = SystemRandomNumberGenerator()
          return (try TraderOperation.next(&random)(db, &random), ContinuousClock.now)
        }
        commits.add(event: event, at: end, after: .now - start)
        state.withLock { $0.commitCount += 1 }
        try await Task.sleep(for: .milliseconds(Int.random(in: 5...30)))
      }
    } catch is CancellationError {
      // Paused, or the number of writers was reduced.
    } catch {
      notify(.noticed("A writer has given up: \(sentence(for: error))", isFailure: true))
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
        try await pool.write { db in
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
      state.background = Task { [pool] in
        await withDiscardingTaskGroup { group in
          for customer in 1...(Self.backgroundCount / 4) {
            let spent = ValueObservation.tracking { db in
              try Int.fetchOne(db, sql: "SELECT spent FROM customer WHERE id = ?", arguments: [customer])
            }
            for _ in 0..<4 {
              group.addTask {
                // It ends with its task, or when the market closes.
                do { for try await _ in spent.values(in: pool) {} } catch {}
              }
            }
          }
        }
      }
    }
  }
}
