import Tidemark

/// A transaction observer, whose events must agree with the contents before and after each command.
final class ModelEventRecorder: TransactionObserver, @unchecked Sendable {
  // The writer calls it, one access at a time. `check` is called between accesses.
  private struct Key: Hashable {
    var table: String
    var id: Int64
  }

  private var pending: [(key: Key, kind: DatabaseEvent.Kind)] = []
  private var committed: [Key: DatabaseEvent.Kind] = [:]

  init(_ writer: any DatabaseWriter) {
    writer.add(transactionObserver: self, extent: .databaseLifetime)
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    eventKind.tableName == "item" || eventKind.tableName == "part"
  }

  func databaseDidChange(with event: DatabaseEvent) {
    pending.append((Key(table: event.tableName, id: event.rowID), event.kind))
  }

  func databaseDidCommit(_ db: Database) {
    for (key, kind) in pending { committed[key] = kind }
    pending = []
  }

  func databaseDidRollback(_ db: Database) { pending = [] }

  /// Compares the events of a command with the contents before and after it.
  func check(_ before: ModelContent, _ after: ModelContent, _ world: ModelWorld) throws {
    defer { committed = [:] }
    if !pending.isEmpty { try world.fail("the observer has not received the end of a transaction") }
    for (key, kind) in committed {
      let exists = key.table == "item" ? after.items[key.id] != nil : after.parts[key.id] != nil
      if exists == (kind == .delete) {
        try world.fail("the observer has received \(kind) of \(key.table) \(key.id) as the last event of this row")
      }
    }
    let items = Set(before.items.keys).union(after.items.keys).filter { before.items[$0] != after.items[$0] }
    let parts = Set(before.parts.keys).union(after.parts.keys).filter { before.parts[$0] != after.parts[$0] }
    let missing =
      items.map { Key(table: "item", id: $0) }.filter { committed[$0] == nil }
      + parts.map { Key(table: "part", id: $0) }.filter { committed[$0] == nil }
    if let first = missing.first {
      try world.fail("the observer has not received the change of \(first.table) \(first.id)")
    }
  }
}
