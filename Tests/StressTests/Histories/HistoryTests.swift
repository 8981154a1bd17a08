import StressSupport
import Testing
import Tidemark

/// Histories of concurrent writes and reads of all kinds are consistent with the guarantees of the database (P3).
@Suite(.serialized) struct HistoryTests {
  @Test(arguments: Scale.seeds(daily: 4, full: 8))
  func everyReadSeesOneRecentState(seed: UInt64) async throws {
    let run = Run("history", seed: seed)
    let folder = try TestFolder(onDisk: true)
    let store = try ListStore(folder.pool(readers: 3))
    await HistoryRun(store: store, run: run).perform(rounds: Scale.of(daily: 60, full: 160))
    let history = store.recorder.recorded
    run.count("histories")
    run.count("transactions", history.writes.count)
    run.count("reads", history.reads.count)
    for fault in HistoryChecker.faults(of: history) { run.problem("\(fault)") }
    try store.pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    run.finish()
  }

  // MARK: - Planted faults: a checker that does not find them is blind

  /// Plants a fault into a history, which must be found, and no other.
  ///
  /// - Parameter plant: Receives the operations before and after the fault, and returns the expected findings.
  private func find(
    _ name: String, seed: UInt64,
    _ plant: (_ store: ListStore, _ goOn: () async -> Void) async throws -> HistoryChecker.Fault
  ) async throws {
    let run = Run("planted-\(name)", seed: seed)
    let folder = try TestFolder(onDisk: true)
    let store = try ListStore(folder.pool(readers: 3))
    let history = HistoryRun(store: store, run: run)
    let fault = try await plant(store) { await history.perform(rounds: 5) }
    let found = HistoryChecker.faults(of: store.recorder.recorded)
    run.count("planted", found == [fault] ? 1 : 0)
    if found != [fault] { run.problem("\(fault) was planted, and \(found) found") }
    run.finish()
  }

  @Test(arguments: Scale.seeds(daily: 4, full: 8))
  func readsWithoutTransactionAreFound(seed: UInt64) async throws {
    try await find("skew", seed: seed) { store, goOn in
      await goOn()
      let half = ListStore.keyCount / 2
      // Another connection writes between the statements for the first half of the keys and for the second half.
      let begin = store.recorder.now()
      let lists = try store.pool.unsafeReentrantRead { db in
        let first = try ListStore.lists(db, of: 0..<half)
        let appends = [(key: 0, value: -1), (key: half, value: -2)]
        let since = store.recorder.now()
        let commit = try store.pool.unsafeReentrantWrite { db in
          var commit = 0
          try db.inTransaction {
            commit = try ListStore.append(appends, db)
            return .commit
          }
          return commit
        }
        store.record(appends, since: since, commit: commit)
        return first + (try ListStore.lists(db, of: half..<ListStore.keyCount))
      }
      store.record(lists, since: begin, session: 1000, kind: "unsafe read")
      await goOn()
      return .noState(kind: "unsafe read")
    }
  }

  @Test(arguments: Scale.seeds(daily: 4, full: 8))
  func cachedReadsAreFound(seed: UInt64) async throws {
    try await find("cache", seed: seed) { store, goOn in
      let cached = try await store.pool.read { try ListStore.lists($0) }
      await goOn()
      let begin = store.recorder.now()
      store.record(cached, since: begin, session: 1000, kind: "cache")
      return .stale(kind: "cache", saw: 0, acknowledged: store.recorder.recorded.writes.count)
    }
  }

  @Test(arguments: Scale.seeds(daily: 4, full: 8))
  func lostWritesAreFound(seed: UInt64) async throws {
    try await find("loss", seed: seed) { store, goOn in
      await goOn()
      // Acknowledged, and undone.
      var numbers = RandomNumbers(seed: seed)
      let appends = store.appends(&numbers)
      let since = store.recorder.now()
      let commit = try await store.pool.writeWithoutTransaction { db in
        var commit = 0
        try db.inTransaction {
          commit = try ListStore.append(appends, db)
          return .rollback
        }
        return commit
      }
      store.record(appends, since: since, commit: commit)
      let begin = store.recorder.now()
      let lists = try await store.pool.read { try ListStore.lists($0) }
      store.record(lists, since: begin, session: 1000, kind: "read")
      return .stale(kind: "read", saw: commit - 1, acknowledged: commit)
    }
  }
}
