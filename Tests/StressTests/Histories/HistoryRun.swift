import StressSupport
import Tidemark

/// Writers and readers of all kinds, at the same time.
struct HistoryRun: Sendable {
  let store: ListStore
  let run: Run

  private var pool: DatabasePool { store.pool }

  struct PlannedFailure: Error {}

  func perform(rounds: Int) async {
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(2, "writing thread") { try write(as: $0, rounds) } }
      group.addTask { await workers.tasks(4, "writing task") { try await writeAsync(as: 10 + $0, rounds) } }
      group.addTask { await workers.threads(2, "reading thread") { try read(as: 20 + $0, rounds) } }
      group.addTask { await workers.tasks(4, "reading task") { try await readAsync(as: 30 + $0, rounds) } }
      group.addTask { await workers.tasks(2, "snapshot") { try await readSnapshots(as: 40 + $0, rounds / 4) } }
    }
  }

  // MARK: Writers

  private func write(as worker: Int, _ rounds: Int) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      let appends = store.appends(&numbers)
      let begin = store.recorder.now()
      let isRefused = numbers.once(in: 8)
      do {
        if numbers.once(in: 3) {
          try writeAndReadConcurrently(appends, begin)
        } else {
          let commit = try pool.write { db in
            let commit = try ListStore.append(appends, db)
            if isRefused { throw PlannedFailure() }
            return commit
          }
          store.record(appends, since: begin, commit: commit)
        }
      } catch is PlannedFailure {
        run.count("refused")
      }
    }
  }

  /// A read that begins in the write sees the very state that the write has committed.
  private func writeAndReadConcurrently(_ appends: [(key: Int, value: Int)], _ begin: Int) throws {
    try pool.writeWithoutTransaction { db in
      var commit = 0
      try db.inTransaction {
        commit = try ListStore.append(appends, db)
        return .commit
      }
      store.record(appends, since: begin, commit: commit)
      let now = store.recorder.now()
      pool.spawnConcurrentRead { [commit] result in
        do {
          store.record(
            try ListStore.lists(result.get()), since: now, session: -1, kind: "concurrent read", commit: commit)
        } catch {
          run.problem("concurrent read: \(error)")
        }
      }
    }
  }

  private func writeAsync(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      let appends = store.appends(&numbers)
      let begin = store.recorder.now()
      let commit = try await pool.write { try ListStore.append(appends, $0) }
      store.record(appends, since: begin, commit: commit)
      if numbers.once(in: 4) {
        // Its own session sees what it has written.
        let begin = store.recorder.now()
        let lists = try await pool.readInline { try ListStore.lists($0) }
        store.record(lists, since: begin, session: worker, kind: "read in place")
      }
    }
  }

  // MARK: Readers

  private func read(as worker: Int, _ rounds: Int) throws {
    for _ in 0..<rounds {
      let begin = store.recorder.now()
      let lists = try pool.read { try ListStore.lists($0) }
      store.record(lists, since: begin, session: worker, kind: "read")
    }
  }

  private func readAsync(as worker: Int, _ rounds: Int) async throws {
    for _ in 0..<rounds {
      let begin = store.recorder.now()
      let lists = try await pool.read { try ListStore.lists($0) }
      store.record(lists, since: begin, session: worker, kind: "async read")
    }
  }

  private func readSnapshots(as worker: Int, _ rounds: Int) async throws {
    for _ in 0..<rounds {
      let begin = store.recorder.now()
      let snapshot = try pool.makeSnapshot()
      let lists = try await snapshot.read { try ListStore.lists($0) }
      store.record(lists, since: begin, session: worker, kind: "snapshot")
      for _ in 0..<3 where try await snapshot.read({ try ListStore.lists($0) }) != lists {
        run.problem("a snapshot has changed")
      }
    }
  }
}
