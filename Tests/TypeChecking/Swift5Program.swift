import Dispatch
import Tidemark

// A program in the Swift 5 language mode, which knows nothing of the main actor and of what may be sent: see run.sh.

class PlayersModel {
  var scores: [Int] = []
  var failure: Error?
  var count = 0
  var cancellables: [AnyDatabaseCancellable] = []

  func observe(_ dbQueue: DatabaseQueue) {
    let observation = ValueObservation.tracking { db in
      try Int.fetchAll(db, sql: "SELECT score FROM player LIMIT \(self.count)")
    }
    cancellables = [
      observation.start(in: dbQueue, onError: { self.failure = $0 }, onChange: { self.scores = $0 }),
      observation.start(
        in: dbQueue, scheduling: .immediate, onError: { self.failure = $0 }, onChange: { self.scores = $0 }),
      observation.start(
        in: dbQueue, scheduling: .async(onQueue: .main),
        onError: { self.failure = $0 }, onChange: { self.scores = $0 }),
      observation.shared(in: dbQueue).start(onError: { self.failure = $0 }, onChange: { self.scores = $0 }),
    ]
  }

  func observeRegions(_ dbQueue: DatabaseQueue) -> Int {
    var number = 0
    let table = Table("player")
    cancellables = [
      DatabaseRegionObservation(tracking: table)
        .start(in: dbQueue, onError: { self.failure = $0 }, onChange: { _ in number += 1 }),
      ValueObservation.tracking(region: table) { db in try self.fetch(db) }
        .start(in: dbQueue, onError: { self.failure = $0 }, onChange: { self.count = $0 }),
      ValueObservation.tracking(regions: [table]) { db in try self.fetch(db) }
        .start(in: dbQueue, onError: { self.failure = $0 }, onChange: { self.count = $0 }),
      ValueObservation.trackingConstantRegion { db in try self.fetch(db) }
        .start(in: dbQueue, onError: { self.failure = $0 }, onChange: { self.count = $0 }),
    ]
    return number
  }

  func fetch(_ db: Database) throws -> Int { try Table("player").fetchCount(db) }
}
