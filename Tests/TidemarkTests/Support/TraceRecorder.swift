import Tidemark

/// Records the trace of connections.
final class TraceRecorder: Sendable {
  private let entries = Locked<[String]>([])

  /// The trace since the recorder was created, or cleared.
  var lines: [String] { entries.value }

  /// The lines, with abbreviations for the parts of transactions: `BI | INSERT … | C`.
  var summary: String { lines.map(Self.short).joined(separator: " | ") }

  func append(_ line: String) { entries.update { $0.append(line) } }

  func clear() { entries.update { $0 = [] } }

  /// Traces connections from their first statement on.
  func attach(to configuration: inout Configuration, options: Database.TracingOptions = .statement) {
    configuration.prepareDatabase { [self] db in
      db.trace(options: options) { self.append($0.description) }
    }
  }

  /// An empty queue in memory that is traced from now on.
  func makeQueue(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    var configuration = configuration
    attach(to: &configuration)
    let dbQueue = try DatabaseQueue(configuration: configuration)
    clear()
    return dbQueue
  }

  private static func short(_ sql: String) -> String {
    switch sql {
    case "BEGIN IMMEDIATE TRANSACTION": "BI"
    case "BEGIN DEFERRED TRANSACTION": "BD"
    case "BEGIN EXCLUSIVE TRANSACTION": "BE"
    case "COMMIT TRANSACTION": "C"
    case "ROLLBACK TRANSACTION": "R"
    case "SAVEPOINT grdb": "S"
    case "RELEASE SAVEPOINT grdb": "RS"
    case "ROLLBACK TRANSACTION TO SAVEPOINT grdb": "RT"
    case "PRAGMA query_only = 1": "Q1"
    case "PRAGMA query_only = 0": "Q0"
    default: sql
    }
  }
}
