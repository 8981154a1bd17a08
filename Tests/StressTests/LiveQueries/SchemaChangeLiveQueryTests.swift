import StressSupport
import Synchronization
import TestSupport
import Testing

import Tidemark

/// Live queries that begin before a schema change report the values that follow it.
@Suite struct SchemaChangeLiveQueryTests {
  /// The tables and views that exist before or after one of the changes.
  private static let names = ["t", "u", "new", "docs", "v", "main.t", "other.o", "other.new", "other.t"]

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func `live queries of a queue report all values after a schema change`(seed: UInt64) async throws {
    for situation in SchemaSituation.selection(seed: seed) {
      try await check(situation, DatabaseQueue(), attaching: ":memory:")
    }
  }

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func `live queries of a pool report all values after a schema change`(seed: UInt64) async throws {
    for situation in SchemaSituation.selection(seed: seed) where !situation.change.contains("TEMP") {
      let folder = try TestFolder()
      var configuration = Configuration()
      if situation.isAttached {
        let path = folder.path("other")
        configuration.prepareDatabase { try $0.execute(sql: "ATTACH ? AS other", arguments: [path]) }
      }
      let pool = try DatabasePool(path: folder.path("main"), configuration: configuration)
      try await check(situation, pool, attaching: nil)
      try pool.close()
    }
  }

  private func check(_ situation: SchemaSituation, _ database: any DatabaseWriter, attaching attached: String?)
    async throws
  {
    try await database.writeWithoutTransaction { db in try situation.makeSchema(db, attaching: attached) }
    let observed = Self.names.map { Observed($0, in: database) }
    for observed in observed { try await observed.waitForCurrentValue(in: database, "before \(situation)") }
    try await database.writeWithoutTransaction { db in try situation.changeSchema(db) }
    for observed in observed { try await observed.waitForCurrentValue(in: database, "after \(situation)") }
    for _ in 1...2 {
      try await database.write { db in try SchemaSituation.writeAll(db) }
      for observed in observed {
        try await observed.waitForCurrentValue(in: database, "after a write after \(situation)")
      }
    }
  }

  /// A live query of a table, which may not exist.
  private final class Observed: Sendable {
    private let name: String
    private let last = Mutex<String?>(nil)
    private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)

    init(_ name: String, in database: any DatabaseWriter) {
      self.name = name
      let observation = ValueObservation.tracking { [name] db in try Self.value(name, db) }
      let started = observation.start(
        in: database, scheduling: .async(onQueue: .global()),
        onError: { [last] error in last.withLock { $0 = "\(error)" } },
        onChange: { [last] value in last.withLock { $0 = value } })
      cancellable.withLock { $0 = started }
    }

    private static func value(_ name: String, _ db: Database) throws -> String {
      let parts = name.split(separator: ".").map(String.init)
      let (table, schema) = (parts[parts.count - 1], parts.count > 1 ? parts[0] : nil)
      do {
        guard try db.tableExists(table, in: schema) || db.viewExists(table, in: schema) else { return "missing" }
      } catch {
        return "\(error)"
      }
      return try Row.fetchAll(db, sql: "SELECT * FROM \(name)").map { "\($0)" }.sorted().joined(separator: "; ")
    }

    func waitForCurrentValue(in database: any DatabaseWriter, _ moment: String) async throws {
      let expected = try await database.read { [name] db in try Self.value(name, db) }
      try await Wait.until("the value of \(name), \(moment): \(expected)") { last.withLock { $0 } == expected }
    }
  }
}
