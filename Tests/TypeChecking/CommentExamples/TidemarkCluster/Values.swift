// The values that the examples in the documentation comments of TidemarkCluster use. `CommentExampleTests` compiles the
// examples with this file. Nothing runs, so most of them have no value.

import Foundation
import Tidemark
import TidemarkCluster

// MARK: Databases

var database: ClusterDatabase { fatalError() }
var berlin: ClusterDatabase { fatalError() }
var paris: ClusterDatabase { fatalError() }
var migrator: DatabaseMigrator { fatalError() }
var path: String { "db.sqlite" }
var berlinPath: String { "berlin.sqlite" }
var parisPath: String { "paris.sqlite" }
var id: Int64 { 1 }
var transaction: ClusterTransactionID { fatalError() }

var configuration: ClusterConfiguration {
  get { fatalError() }
  set {}
}

struct Player: Codable, FetchableRecord, PersistableRecord {
  var name: String
}

let byLength = DatabaseCollation("by_length") { _, _ in .orderedSame }

// MARK: Logs

var log: any ReplicatedLog { fatalError() }
var endpoints: [URL] { [] }
var password: String { "" }

var position: LogPosition {
  get { .start }
  set {}
}

/// A clock whose time a test sets.
struct TestTime: Sendable {
  var now: ContinuousClock.Instant { .now }
  func sleep(until deadline: ContinuousClock.Instant) async throws {}
}

let time = TestTime()

// MARK: Snapshots

var store: any SnapshotStore { fatalError() }
var backup: URL { URL(fileURLWithPath: "backup.sqlite") }

/// The client of an object store.
struct Bucket: Sendable {
  func names() async throws -> [String] { [] }
  func upload(_ file: URL, as name: String) async throws {}
  func download(_ name: String, to file: URL) async throws {}
  func remove(_ name: String) async throws {}
}

// MARK: The program

enum StartError: Error { case databaseNeedsMigration }

struct Logger {
  func info(_ message: String) {}
  func error(_ message: String) {}
}

let logger = Logger()
var error: any Error { StartError.databaseNeedsMigration }

func retryUnlessCommitted(_ transaction: ClusterTransactionID) async throws {}
func retryLater() async throws {}
