import Tidemark

/// A query that never ends by itself, and reports that it runs.
struct Endless: Sendable {
  let hasBegun = Signal()

  static let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(begun(i)) FROM n"

  /// A write that never ends by itself.
  static let writeSQL = """
    INSERT INTO book (title) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
    SELECT 'endless ' || begun(i) FROM n WHERE i % 1000 = 0
    """

  /// A queue with a table of books, and the function of the query.
  func makeQueue(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    var configuration = configuration
    let hasBegun = hasBegun
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("begun", argumentCount: 1) { values in
          if Int.fromDatabaseValue(values[0]).map({ $0 < 2000 }) == true { hasBegun.fire() }
          return values[0]
        })
    }
    return try DatabaseQueue.withBooks(configuration)
  }
}
