import Foundation
import Testing
import Tidemark

/// Closures written on the main actor are called on other threads, and do not trap (hazard S3).
@Suite struct IsolationTests {
  /// Code as in a view model.
  @MainActor private final class Model {
    var seen = 0

    func makeConfiguration() -> Configuration {
      var configuration = Configuration()
      configuration.busyMode = .callback { $0 < 2 }
      configuration.transactionClock = .custom { _ in Date() }
      configuration.prepareDatabase { db in
        db.add(
          function: DatabaseFunction("double", argumentCount: 1) { values in
            Int.fromDatabaseValue(values[0]).map { $0 * 2 }
          })
        db.add(
          collation: DatabaseCollation("backwards") { lhs, rhs in rhs < lhs ? .orderedAscending : .orderedDescending })
        db.trace { event in _ = event.description.count }
      }
      return configuration
    }
  }

  @Test @MainActor func mainActorClosuresRunElsewhere() async throws {
    let dbQueue = try DatabaseQueue(configuration: Model().makeConfiguration())
    let texts = try await dbQueue.write { db in
      try String.fetchAll(
        db, sql: "SELECT double(column1) || '' FROM (VALUES (1), (2)) ORDER BY column1 || '' COLLATE backwards")
    }
    #expect(texts == ["4", "2"])
  }

  @Test @MainActor func mainActorTracesRunElsewhere() async throws {
    let trace = TraceRecorder()
    let dbQueue = try DatabaseQueue()
    dbQueue.inDatabase { db in
      db.trace { trace.append($0.description) }
    }
    try await dbQueue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
    #expect(trace.lines == ["SELECT 1"])
  }
}
