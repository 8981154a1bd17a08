import Foundation
import Tidemark

/// A unit of work, stored as one row of the table `job`.
struct Job: Codable, Equatable, Identifiable, Sendable, FetchableRecord, MutablePersistableRecord {
  /// What happened to a job so far.
  enum State: String, Codable, DatabaseValueConvertible {
    case pending
    case running
    case finished
    case failed
  }

  var id: Int64?

  /// How long the work takes. A real server would store a kind and parameters here.
  var milliseconds: Int
  var state = State.pending
  var attempts = 0
  var message: String?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let state = Column(CodingKeys.state)
    static let attempts = Column(CodingKeys.attempts)
  }

  mutating func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}

/// How many jobs are in each state.
struct JobCounts: Equatable, Sendable {
  var pending = 0
  var running = 0
  var finished = 0
  var failed = 0

  static func fetch(_ db: Database) throws -> JobCounts {
    JobCounts(
      pending: try Job.filter(Job.Columns.state == Job.State.pending).fetchCount(db),
      running: try Job.filter(Job.Columns.state == Job.State.running).fetchCount(db),
      finished: try Job.filter(Job.Columns.state == Job.State.finished).fetchCount(db),
      failed: try Job.filter(Job.Columns.state == Job.State.failed).fetchCount(db))
  }
}
