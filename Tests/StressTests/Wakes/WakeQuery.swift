import Tidemark
@testable import TidemarkEssentials

/// A query of the wake oracle: SQL, or a request.
struct WakeQuery: Sendable {
  let name: String

  /// Returns the result as text.
  let fetch: @Sendable (Database) throws -> String
}

extension WakeQuery {
  init(sql: String) {
    self.init(name: sql) { try Row.fetchAll($0, sql: sql).words }
  }

  /// Fetches the result, or returns the text of an error. After an error, any change may modify the result.
  func words(_ db: Database) -> String {
    do {
      return try fetch(db)
    } catch {
      do {
        try db.registerAccess(to: DatabaseRegion.fullDatabase)
      } catch {
        return "\(error)"
      }
      return "error: \((error as? DatabaseError)?.message ?? "")"
    }
  }
}

extension [Row] {
  var words: String {
    map { row in row.databaseValues.map { "\($0)" }.joined(separator: "|") }.joined(separator: "\n")
  }
}
