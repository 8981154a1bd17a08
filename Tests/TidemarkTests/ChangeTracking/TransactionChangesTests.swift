import Foundation
import Testing

@testable import TidemarkEssentials

@Suite struct TransactionChangesTests {
  private struct Player: Codable, FetchableRecord, TableRecord, Equatable {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
    var score: Double?
  }

  private static let player = ChangedTable(
    name: "Player", columnNames: ["id", "name", "score"], primaryKey: [0], rowID: .primaryKey)
  private static let tag = ChangedTable(
    name: "tag", columnNames: ["name", "owner"], primaryKey: [1, 0], rowID: .none)

  private static func image(_ rowID: Int64, _ values: (any DatabaseValueConvertible)?...) -> ChangedRow.Image {
    ChangedRow.Image(rowID: rowID, values: values.map { $0?.databaseValue ?? .null })
  }

  private static let insertion = ChangedRow(table: player, images: .insert(image(1, 1, "Ada", nil)))

  // Computed: the leak sanitizer does not see a reference in whose spare bits Swift stores a case.
  private static var update: ChangedRow {
    ChangedRow(table: player, images: .update(old: image(1, 1, "Ada", nil), new: image(1, 1, "Ada", 1.5)))
  }

  private static let deletion = ChangedRow(table: tag, images: .delete(image(0, "swift", 7)))

  @Test func `an inserted row has new values only`() {
    #expect(Self.insertion.operation == .insert)
    #expect(Self.insertion.oldValues == nil && Self.insertion.oldRow == nil && Self.insertion.oldIdentity == nil)
    #expect(Self.insertion.newRow == ["id": 1, "name": "Ada", "score": nil])
    #expect(Self.insertion.changedColumnNames == ["id", "name", "score"])
  }

  @Test func `an updated row has old and new values, and the names of its changed columns`() {
    #expect(Self.update.oldRow == ["id": 1, "name": "Ada", "score": nil])
    #expect(Self.update.newRow == ["id": 1, "name": "Ada", "score": 1.5])
    #expect(Self.update.changedColumnNames == ["score"])
  }

  @Test func `an integer that becomes an equal double is a change`() {
    let update = ChangedRow(
      table: Self.player, images: .update(old: Self.image(1, 1, "Ada", 2), new: Self.image(1, 1, "Ada", 2.0)))
    #expect(update.changedColumnNames == ["score"])
  }

  @Test func `rows are identified by their row ID`() {
    #expect(Self.update.oldIdentity == .rowID(1) && Self.update.newIdentity == .rowID(1))
  }

  @Test func `rows without a row ID are identified by their primary key, in its order`() {
    #expect(Self.deletion.oldIdentity == .primaryKey([7.databaseValue, "swift".databaseValue]))
    #expect(Self.deletion.newIdentity == nil)
  }

  @Test func `unknown rows of the table of counters concern the tables that it counts`() {
    let commit = CommittedChanges(unknownRowsOf: [.counterTable(in: "main")])
    var reader = ChangeReader(region: DatabaseRegion(tables: [TableKey("event"): .all]))
    let changes = reader.changes(of: commit, isUnknown: false, rowLimit: .max, at: 0, nil)
    #expect(changes?.completeness == .incomplete(.notReported))
    #expect(changes?.lines == ["unknown rows of sqlite_sequence"])
    var other = ChangeReader(region: DatabaseRegion(tables: [TableKey("event", in: "attached"): .all]))
    #expect(other.changes(of: commit, isUnknown: false, rowLimit: .max, at: 0, nil) == nil)
  }

  @Test func `the full database has no table of counters of its own`() {
    #expect(DatabaseRegion.fullDatabase.counterTables.isEmpty)
    #expect(DatabaseRegion(tables: [TableKey("event"): .all]).counterTables == [.counterTable(in: "main")])
  }

  @Test func `rows beyond a limit become unknown rows of their tables`() {
    var changes = TransactionChanges(
      microsecondsSince1970: 0,
      elements: [
        .row(Self.insertion), .schema(sql: "CREATE TABLE note (text)"), .row(Self.update),
        .counter(databaseName: "main", tableName: "event", value: 7), .userVersion(databaseName: "main", value: 3),
        .notification(channel: "chat", payload: "hello"), .unknownRows(databaseName: "main", tableName: "page"),
      ])
    let whole = changes
    changes.limitRows(to: 2)
    #expect(changes == whole)
    changes.limitRows(to: 1)
    #expect(changes.completeness == .incomplete(.tooManyRows))
    #expect(
      changes.elements.map(\.description) == [
        "unknown rows of Player", "CREATE TABLE note (text)", "counter of event: 7", "user_version = 3",
        "notification on chat: hello", "unknown rows of page",
      ])
  }

  @Test func `the changes of a record type are decoded`() throws {
    let changes = TransactionChanges(
      microsecondsSince1970: 0, elements: [.row(Self.insertion), .row(Self.deletion), .row(Self.update)])
    let players = try changes.changes(of: Player.self)
    let (before, after) = (Player(id: 1, name: "Ada"), Player(id: 1, name: "Ada", score: 1.5))
    #expect(players.map(\.operation) == [.insert, .update])
    #expect(players.map(\.oldRecord) == [nil, before])
    #expect(players.map(\.newRecord) == [before, after])
  }

  @Test func `a table of the same name in an attached database has other records`() throws {
    let attached = ChangedTable(
      databaseName: "other", name: "player", columnNames: ["id"], primaryKey: [0], rowID: .primaryKey)
    let changes = TransactionChanges(
      microsecondsSince1970: 0, elements: [.row(ChangedRow(table: attached, images: .insert(Self.image(1, 1))))])
    #expect(try changes.changes(of: Player.self).isEmpty)
  }

  @Test func `a record that cannot be decoded is an error`() {
    let row = ChangedRow(table: Self.player, images: .insert(Self.image(1, 1, nil, nil)))
    let changes = TransactionChanges(microsecondsSince1970: 0, elements: [.row(row)])
    #expect(throws: RowDecodingError.self) { try changes.changes(of: Player.self) }
  }

  @Test(arguments: [insertion, update, deletion])
  func `the inverse of the inverse is the change`(row: ChangedRow) {
    #expect(row.inverted != row)
    #expect(row.inverted.inverted == row)
    #expect(row.inverted.oldValues == row.newValues && row.inverted.newValues == row.oldValues)
  }

  @Test func `changes are described on one line`() {
    #expect(Self.insertion.description == #"INSERT Player [1]: id 1, name "Ada", score NULL"#)
    #expect(Self.update.description == "UPDATE Player [1]: score NULL → 1.5")
    #expect(Self.deletion.description == #"DELETE tag [7, "swift"]: name "swift", owner 7"#)
  }

  @Test func `the time of the commit has microseconds`() {
    let changes = TransactionChanges(microsecondsSince1970: 1_700_000_000_000_001)
    #expect(abs(changes.date.timeIntervalSince1970 - 1_700_000_000.000001) < 1e-6)
  }
}
