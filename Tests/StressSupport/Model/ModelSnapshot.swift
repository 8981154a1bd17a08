import Tidemark

/// A snapshot, and the content that it must show.
final class ModelSnapshot {
  let reader: any DatabaseSnapshotReader
  let file: ModelFile
  let content: ModelContent
  var isClosed = false

  init(_ reader: any DatabaseSnapshotReader, _ file: ModelFile) {
    (self.reader, self.file, content) = (reader, file, file.content)
  }

  func close() throws {
    isClosed = true
    try reader.close()
  }
}

/// Takes, reads and closes snapshots.
struct ModelUseSnapshot: ModelCommand {
  private let slot: Int
  private let database: Int
  private let isPool: Bool
  private let isFromConnection: Bool
  private let closes: Bool
  private let isAsync: Bool
  private let query: ModelQuery
  private let writes: Bool

  init(_ random: inout RandomNumbers) {
    slot = random.below(2)
    database = random.slot()
    isPool = random.once(in: 2)
    isFromConnection = random.once(in: 3)
    closes = random.once(in: 4)
    isAsync = random.once(in: 3)
    query = ModelQuery(&random)
    writes = random.once(in: 6)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let snapshot = world.snapshots[slot] else { return try take(world) }
    if closes {
      try world.check("snapshot\(slot).close()", "closed") {
        try snapshot.close()
        return "closed"
      }
      // A closed snapshot is read once more.
    }
    let content = world.fault == .snapshotFollows ? snapshot.file.content : snapshot.content
    var simulation = ModelSimulation(
      content, .autocommit, foreignKeys: true, writeError: .readonly, error: snapshot.isClosed ? .closed : nil)
    var steps: [ModelStep] = [.query(query, isCaught: false)]
    if writes { steps.append(.perform(.setVersion(9), isCaught: false)) }
    let expected = expectation(&simulation, steps)
    let reader = snapshot.reader
    try world.check("snapshot\(slot).read { \(ModelStep.text(steps)) }", expected + " [\(simulation.log)]") {
      let log = ModelLog(writeError: .readonly)
      let steps = steps
      let result = outcome {
        if isAsync {
          try waiting { try await reader.read { try ModelPerformer(db: $0, log: log).run(steps) } }
        } else {
          try reader.read { try ModelPerformer(db: $0, log: log).run(steps) }
        }
        return "ok"
      }
      return result + " [\(log.text)]"
    }
    world.count(expected == "ok" ? "read" : String(expected.dropFirst(7)))
    if snapshot.isClosed { world.snapshots[slot] = nil }
    return true
  }

  private func expectation(_ simulation: inout ModelSimulation, _ steps: [ModelStep]) -> String {
    do throws(ModelError) {
      if let error = simulation.error { throw error }
      try simulation.run(steps)
      return "ok"
    } catch {
      return "throws \(error.label)"
    }
  }

  private func take(_ world: ModelWorld) throws -> Bool {
    guard let database = world.databases[database], let pool = database.pool, !database.isClosed else { return false }
    guard database.file.isWAL || !database.file.mayBeWAL else { return false }
    // The state of a connection can only be copied if no other connection reads an older state.
    let isFromConnection = isFromConnection && !world.snapshots.contains { $0?.file === database.file }
    let kind = isFromConnection ? "DatabaseSnapshotPool(db)" : isPool ? "makeSnapshotPool()" : "makeSnapshot()"
    // Observations and streams read at any time.
    let readers = world.observations.compactMap { $0?.database } + [world.stream?.database].compactMap { $0 }
    let mayBeBusy = isFromConnection && readers.contains { $0.file === database.file }
    let cannotLock = database.isSuspended && isPool && !isFromConnection
    var reader: (any DatabaseSnapshotReader)?
    try world.check(
      "snapshot\(slot) = db\(self.database).\(kind)",
      !database.file.isWAL ? "throws ERROR" : cannotLock ? "throws ABORT" : mayBeBusy ? "taken or busy" : "taken"
    ) {
      if isFromConnection {
        do {
          reader = try pool.read { try DatabaseSnapshotPool($0) }
        } catch DatabaseError.SQLITE_BUSY_SNAPSHOT where mayBeBusy {}
      } else {
        reader = isPool ? try pool.makeSnapshotPool() : try pool.makeSnapshot()
      }
      return mayBeBusy ? "taken or busy" : "taken"
    }
    world.count(kind)
    if let reader { world.snapshots[slot] = ModelSnapshot(reader, database.file) }
    return true
  }
}
