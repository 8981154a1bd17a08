import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Random schemas, queries and writes. Regions are compared with the results of the query before and after.
///
/// Row changes are found by comparing the contents of tables: this does not depend on change capture.
@Suite struct RegionInferenceOracleTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  /// The numbers of affected regions of queries with `=`, `IN` and ranges, and of unchanged results among them.
  private struct Score {
    var answers = 0
    var yes = 0
    var wrong = 0

    /// The differences that no region has predicted.
    var missed: [String] = []

    /// The number of changes that the rows of a result excluded in addition to the text of the query.
    var leftOut = 0
  }

  /// Invariant: a change of a query's result affects its region. And the result of a plain query is unchanged in at most
  /// one of a hundred changes that affect its region.
  @Test func regionsMissNothingAndAreRarelyTooWide() throws {
    var generator = SeededRandom()
    var score = Score()
    let gameCount = Self.isFull ? 400 : 25
    // Some runs have few affected regions: a share of one percent needs a large number.
    for number in 0..<2 * gameCount where number < gameCount || score.yes <= 200 {
      try inMemory { db in try play(db, &generator, &score) }
    }
    print("plain queries: \(score.answers) answers, \(score.yes) times yes, \(score.wrong) of them wrong")
    print("the rows of the snapshot excluded \(score.leftOut) changes")
    #expect(score.missed.isEmpty, "\(score.missed.prefix(3).joined(separator: "\n"))")
    #expect(score.yes > 200)
    #expect(score.leftOut > 20)
    #expect(score.wrong * 100 <= score.yes, "\(score.wrong) of \(score.yes)")
  }

  /// Invariant: as above, for queries whose rows depend on rows of other tables.
  @Test func regionsOfRelatedRowsMissNothing() throws {
    var generator = SeededRandom()
    var score = Score()
    for _ in 0..<(Self.isFull ? 400 : 25) {
      try inMemory { db in try play(db, &generator, &score, isAboutRelations: true) }
    }
    print("the rows of the snapshot excluded \(score.leftOut) changes")
    #expect(score.missed.isEmpty, "\(score.missed.prefix(3).joined(separator: "\n"))")
    #expect(score.leftOut > 20)
  }

  /// A control: regions without the rows of their queries are detected.
  @Test func aTooNarrowRegionIsFound() throws {
    var generator = SeededRandom()
    var score = Score()
    for _ in 0..<10 where score.missed.isEmpty {
      try inMemory { db in
        try play(db, &generator, &score, transforming: { _ in DatabaseRegion() })
      }
    }
    #expect(!score.missed.isEmpty)
  }

  /// A control: the rows of one state say nothing about later states.
  @Test func outdatedRefinementsAreFound() throws {
    var generator = SeededRandom()
    var score = Score()
    for _ in 0..<60 where score.missed.isEmpty {
      try inMemory { db in try play(db, &generator, &score, looksAgain: false) }
    }
    #expect(!score.missed.isEmpty)
  }

  private func play(
    _ db: Database, _ generator: inout SeededRandom, _ score: inout Score,
    transforming narrow: (DatabaseRegion) -> DatabaseRegion = { $0 }, looksAgain: Bool = true,
    isAboutRelations: Bool = false
  ) throws {
    try db.execute(sql: "ATTACH ':memory:' AS arch")
    let schema = OracleSchema(&generator, indexesEachColumn: isAboutRelations)
    for sql in schema.statements { try db.execute(sql: sql) }
    for _ in 0..<30 { try write(db, schema, insertsOnly: true, &generator) }
    var queries: [(query: OracleQuery, region: DatabaseRegion)] = []
    while queries.count < 30 {
      let query = isAboutRelations ? .related(schema, &generator) : OracleQuery.random(schema, &generator)
      do {
        let statement = try db.makeStatement(sql: query.sql)
        try statement.setArguments(StatementArguments(query.arguments))
        queries.append((query, narrow(statement.databaseRegion)))
      } catch {
        // An ambiguous name, or a type that a strict table rejects.
      }
    }
    var dumps = try schema.tables.map { try dump(db, $0) }
    // An observation fetches again when its region is affected, and otherwise keeps its value.
    var seen = try queries.map { try look(db, $0.query) }
    var results = seen.map(\.rows)
    for _ in 0..<40 {
      let sql = try write(db, schema, insertsOnly: false, &generator)
      let newDumps = try schema.tables.map { try dump(db, $0) }
      var changes: [RowChange] = []
      let hidesValues = Int.random(in: 0..<4, using: &generator) == 0
      for (table, (old, new)) in zip(schema.tables, zip(dumps, newDumps)) {
        changes += self.changes(of: table, old, new, hidesValues: hidesValues)
      }
      dumps = newDumps
      let newSeen = try queries.map { try look(db, $0.query) }
      let newResults = newSeen.map(\.rows)
      for index in queries.indices {
        let (query, region) = queries[index]
        let isModified = changes.contains { region.isModified(by: $0) }
        let isDifferent = results[index] != newResults[index]
        if isDifferent, !isModified {
          let text = "\(query.sql) \(query.arguments): \(region.debugDescription) missed \(sql)"
          score.missed.append("\(text): \(schema.statements.joined(separator: "; "))")
        }
        let isTouched = changes.contains { seen[index].region.isModified(by: $0) }
        if isDifferent, !isTouched {
          let text = "\(query.sql) \(query.arguments): seen \(seen[index].region.debugDescription) missed \(sql)"
          score.missed.append("\(text): \(schema.statements.joined(separator: "; "))")
        }
        if isModified, !isTouched { score.leftOut += 1 }
        if isTouched, looksAgain { seen[index] = newSeen[index] }
        guard query.isPlain, !hidesValues else { continue }
        score.answers += 1
        if isModified { score.yes += 1 }
        if isModified, !isDifferent { score.wrong += 1 }
      }
      results = newResults
    }
  }

  /// The result of a query, and its region in an observation.
  private func look(
    _ db: Database, _ query: OracleQuery
  ) throws -> (rows: [[DatabaseValue.Storage]], region: DatabaseRegion) {
    let (rows, readSet) = try db.recordingReads(usesBounds: true) {
      try Row.fetchAll(db, sql: query.sql, arguments: StatementArguments(query.arguments))
    }
    return (rows.map { $0.databaseValues.map(\.storage) }, readSet.region)
  }

  // MARK: - Changes

  /// The rows of a table by their identity.
  private func dump(_ db: Database, _ table: OracleTable) throws -> [DatabaseValue: [String: DatabaseValue]] {
    let identity = table.identity[0]
    let names = table.columns.map(\.name)
    let rows = try Row.fetchAll(db, sql: "SELECT \(identity), \(names.joined(separator: ", ")) FROM \(table.sql)")
    var result: [DatabaseValue: [String: DatabaseValue]] = [:]
    for row in rows {
      let values = Array(row.databaseValues)
      result[values[0]] = Dictionary(uniqueKeysWithValues: zip(names, values.dropFirst()))
    }
    return result
  }

  private func changes(
    of table: OracleTable, _ old: [DatabaseValue: [String: DatabaseValue]],
    _ new: [DatabaseValue: [String: DatabaseValue]], hidesValues: Bool
  ) -> [RowChange] {
    let key = TableKey(table.name, in: table.database)
    func image(_ identity: DatabaseValue, _ values: [String: DatabaseValue]) -> RowImage {
      var image = RowImage()
      if table.hasRowID, case .int64(let rowID) = identity.storage { image.rowID = rowID }
      image.values = hidesValues ? values.filter { !$0.key.hasSuffix("1") } : values
      return image
    }
    var changes: [RowChange] = []
    for (identity, values) in old {
      guard let newValues = new[identity] else {
        changes.append(RowChange(table: key, kind: .delete, old: image(identity, values)))
        continue
      }
      let changed = values.filter { $0.value.storage != newValues[$0.key]?.storage }.map(\.key)
      if changed.isEmpty { continue }
      changes.append(
        RowChange(
          table: key, kind: .update, old: image(identity, values), new: image(identity, newValues),
          changedColumns: hidesValues ? nil : Set(changed)))
    }
    for (identity, values) in new where old[identity] == nil {
      changes.append(RowChange(table: key, kind: .insert, new: image(identity, values)))
    }
    return changes
  }

  // MARK: - Writes

  /// Writes, and returns the change. A write that violates a constraint changes nothing.
  @discardableResult
  private func write(
    _ db: Database, _ schema: OracleSchema, insertsOnly: Bool, _ generator: inout SeededRandom
  ) throws -> String {
    let table = generator.pick(schema.tables)
    var arguments: [DatabaseValue] = []
    func value(_ column: OracleTable.Column) -> String {
      let isPlain = Int.random(in: 0..<4, using: &generator) > 0
      arguments.append(generator.pick(isPlain ? OracleSchema.plainValues(for: column.affinity) : OracleSchema.values))
      return "?"
    }
    let columns = table.storedColumns
    let sql: String
    switch insertsOnly ? 0 : Int.random(in: 0..<8, using: &generator) {
    case 0, 1:
      let written = columns.filter { $0.name != "id" || Int.random(in: 0..<4, using: &generator) == 0 }
      let word = generator.pick(["INSERT", "INSERT OR REPLACE"])
      let values = written.map(value).joined(separator: ", ")
      sql = "\(word) INTO \(table.sql) (\(written.map(\.name).joined(separator: ", "))) VALUES (\(values))"
    case 2:
      let condition = OracleCondition.random(on: [("", table)], depth: 0, literalsOnly: true, &generator)
      sql = "DELETE FROM \(table.sql) WHERE \(condition.sql)"
    default:
      var assignments: [String] = []
      for column in columns.shuffled(using: &generator).prefix(Int.random(in: 1...2, using: &generator)) {
        if column.name == "id", Int.random(in: 0..<5, using: &generator) > 0 { continue }
        assignments.append("\(column.name) = \(value(column))")
      }
      if assignments.isEmpty { return "nothing" }
      let condition = OracleCondition.random(on: [("", table)], depth: 0, literalsOnly: true, &generator)
      sql = "UPDATE OR IGNORE \(table.sql) SET \(assignments.joined(separator: ", ")) WHERE \(condition.sql)"
    }
    do {
      try db.execute(sql: sql, arguments: StatementArguments(arguments))
    } catch let error as DatabaseError
      where error.resultCode.primaryResultCode == .SQLITE_CONSTRAINT
      || error.resultCode.primaryResultCode == .SQLITE_MISMATCH
    {
      return "nothing"
    }
    return "\(sql) \(arguments)"
  }
}
