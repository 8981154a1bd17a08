import Tidemark

/// Records the notifications of a transaction observer, in order.
final class EventRecorder: TransactionObserver {
  private let observes: (DatabaseEventKind) -> Bool
  private(set) var log: [String] = []

  /// Whether calls of `observes(eventsOfKind:)` are recorded, too.
  var logsQuestions = false

  /// Whether it stops observing at each change.
  var isContentWithOne = false

  /// The error that it throws when a transaction is about to be committed.
  var refusal: (any Error)?

  /// Called after a commit or a rollback.
  var didCommit: (Database) -> Void = { _ in }
  var didRollBack: (Database) -> Void = { _ in }

  init(_ observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
    self.observes = observes
  }

  /// An observer of a table.
  convenience init(table: String) {
    self.init { $0.tableName == table }
  }

  /// The notifications since the last call.
  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    if logsQuestions {
      switch eventKind {
      case .insert(let table): log.append("insert into \(table)?")
      case .delete(let table): log.append("delete from \(table)?")
      case .update(let table, let columns): log.append("update \(table)(\(columns.sorted().joined(separator: ",")))?")
      }
    }
    return observes(eventKind)
  }

  func databaseDidChange() { log.append("something") }

  func databaseDidChange(with event: DatabaseEvent) {
    let database = event.databaseName == "main" ? "" : event.databaseName + "."
    log.append("\(event.kind) \(database)\(event.tableName) \(event.rowID)")
    if isContentWithOne { stopObservingDatabaseChangesUntilNextTransaction() }
  }

  func databaseWillCommit() throws {
    log.append("will commit")
    if let refusal { throw refusal }
  }

  func databaseDidCommit(_ db: Database) {
    log.append("did commit")
    didCommit(db)
  }

  func databaseDidRollback(_ db: Database) {
    log.append("did roll back")
    didRollBack(db)
  }
}
