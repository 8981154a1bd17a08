import Dispatch
import StressSupport
import Tidemark

/// Sessions of all kinds on one database of this process, at the same time.
struct SerializabilityRun: Sendable {
  let run: Run
  let recorder: TransactionRecorder

  /// How many transactions each session executes.
  let size: Int

  /// Whether other processes write at the same time.
  var hasOtherProcesses = false

  /// Runs the sessions.
  ///
  /// - Parameter firstSession: The number of the first of at most 20 sessions.
  func perform(in writer: some DatabaseWriter, firstSession: Int = 1) async {
    let workers = Workers(run: run)
    let observers = Task {
      await workers.tasks(2, "observer") { try await observe(in: writer, session: firstSession + 10 + $0) }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await workers.threads(2, "thread") { number in
          var session = RandomSession(firstSession + number, seed: run.seed)
          for _ in 0..<size { count(try session.runInPlace(in: writer, recorder)) }
        }
      }
      group.addTask {
        await workers.tasks(3, "task") { number in
          var session = RandomSession(firstSession + 2 + number, seed: run.seed)
          for _ in 0..<size { count(try await session.run(in: writer, recorder)) }
        }
      }
      if let pool = writer as? DatabasePool {
        group.addTask {
          await workers.threads(1, "snapshots") { try readSnapshots(of: pool, session: firstSession + 5 + $0) }
        }
        group.addTask {
          await workers.threads(1, "concurrent reads") {
            try readConcurrently(in: pool, session: firstSession + 6 + $0)
          }
        }
      }
    }
    observers.cancel()
    await observers.value
  }

  private func count(_ result: (access: SessionAccess, outcome: TransactionHistory.Outcome)) {
    run.count(result.outcome == .committed ? "transactions" : "cancelled")
  }

  /// A snapshot is taken while it is made, and never changes.
  private func readSnapshots(of pool: DatabasePool, session number: Int) throws {
    var session = RandomSession(number, seed: run.seed)
    for _ in 0..<size / 4 {
      let reads = session.randomReads()
      let begin = moment()
      let snapshot = try pool.makeSnapshot()
      let end = moment()
      let operations = try snapshot.read { try HistoryTables.perform(reads, $0) }
      recorder.ends(.init(session: number, begin: begin, end: end, operations: operations))
      session.moveOn(operations)
      if try snapshot.read({ try HistoryTables.perform(reads, $0) }) != operations {
        run.problem("a snapshot has changed")
      }
    }
  }

  /// A write and the read that begins at its end are one transaction: no other write of this process comes in between.
  private func readConcurrently(in pool: DatabasePool, session number: Int) throws {
    var session = RandomSession(number, seed: run.seed)
    for _ in 0..<size / 4 {
      let (operations, reads) = (session.randomOperations(), session.randomReads())
      let begin = moment()
      let results = Results()
      var performed: [TransactionHistory.Operation] = []
      try pool.writeWithoutTransaction { db in
        try db.inTransaction {
          performed = try HistoryTables.perform(operations, db)
          return .commit
        }
        pool.spawnConcurrentRead { db in
          results.end(Result { try HistoryTables.perform(reads, db.get()) })
        }
      }
      let read = try results.wait().get()
      let end = moment()
      if hasOtherProcesses {
        recorder.ends(.init(session: number, begin: begin, end: end, operations: performed))
        recorder.ends(.init(session: number, begin: begin, end: end, operations: read))
      } else {
        recorder.ends(.init(session: number, begin: begin, end: end, operations: performed + read))
      }
      session.moveOn(read)
    }
  }

  /// The values of a live query are reads whose age is unknown, except for the first, and never go back.
  private func observe(in reader: some DatabaseReader, session number: Int) async throws {
    var session = RandomSession(number, seed: run.seed)
    while !Task.isCancelled {
      let reads = (0..<3).flatMap { _ in session.randomReads() }
      let observation = ValueObservation.tracking { try HistoryTables.perform(reads, $0) }
      var begin = moment()
      var count = 0
      do {
        for try await operations in observation.values(in: reader) {
          recorder.ends(.init(session: number, begin: begin, end: moment(), operations: operations))
          session.moveOn(operations)
          begin = TransactionHistory.noMoment
          run.count("reads")
          count += 1
          if count == 10 { break }
        }
      } catch is CancellationError {
        return
      }
    }
  }
}

/// The result of a concurrent read, for the thread that waits for it.
private final class Results: Sendable {
  private let result = Mutex<Result<[TransactionHistory.Operation], any Error>?>(nil)
  private let end = DispatchSemaphore(value: 0)

  func end(_ result: Result<[TransactionHistory.Operation], any Error>) {
    self.result.withLock { $0 = result }
    end.signal()
  }

  func wait() throws -> Result<[TransactionHistory.Operation], any Error> {
    end.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return result
  }
}
