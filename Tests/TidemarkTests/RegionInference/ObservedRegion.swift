import Tidemark

@testable import TidemarkEssentials

/// The region of a query in an observation of a new database.
///
/// - Parameter schema: Statements that create the tables and their rows.
func observedRegion(of sql: String, arguments: StatementArguments = [], in schema: String) throws -> String {
  try inMemory { db in
    try db.execute(sql: schema)
    return try db.recordingReads(usesBounds: true) { _ = try Row.fetchAll(db, sql: sql, arguments: arguments) }
      .readSet.region.debugDescription
  }
}
