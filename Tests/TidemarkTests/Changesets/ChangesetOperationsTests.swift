import Testing

@testable import TidemarkEssentials

/// Operations on changesets, without a database.
@Suite struct ChangesetOperationsTests {
  private static let player = ChangedTable(
    name: "player", columnNames: ["id", "name"], primaryKey: [0], rowID: .primaryKey)
  private static let tag = ChangedTable(
    name: "tag", columnNames: ["name", "color"], primaryKey: [0], rowID: .none)

  private static func image(_ id: Int64, _ name: String) -> ChangedRow.Image {
    ChangedRow.Image(rowID: id, values: [id.databaseValue, name.databaseValue])
  }

  private func insert(_ id: Int64, _ name: String) -> Changeset.Element {
    .row(ChangedRow(table: Self.player, images: .insert(Self.image(id, name))))
  }

  private func delete(_ id: Int64, _ name: String) -> Changeset.Element {
    .row(ChangedRow(table: Self.player, images: .delete(Self.image(id, name))))
  }

  private func update(_ id: Int64, _ name: String, _ newID: Int64, _ newName: String) -> Changeset.Element {
    .row(
      ChangedRow(table: Self.player, images: .update(old: Self.image(id, name), new: Self.image(newID, newName))))
  }

  private func lines(_ changeset: Changeset) -> [String] { changeset.elements.map(\.description) }

  // MARK: - Net changes

  @Test func `an inserted row that is updated is an insertion`() throws {
    let net = try Changeset([insert(1, "a"), update(1, "a", 1, "b")]).net
    #expect(lines(net) == [#"INSERT player [1]: id 1, name "b""#])
  }

  @Test func `an inserted row that is deleted is no change`() throws {
    #expect(try Changeset([insert(1, "a"), update(1, "a", 1, "b"), delete(1, "b")]).net.isEmpty)
  }

  @Test func `a deleted row that is inserted is an update`() throws {
    let net = try Changeset([delete(1, "a"), insert(1, "b")]).net
    #expect(lines(net) == [#"UPDATE player [1]: name "a" → "b""#])
  }

  @Test func `a row that gets its former values back is no change`() throws {
    #expect(try Changeset([update(1, "a", 1, "b"), update(1, "b", 1, "a")]).net.isEmpty)
    #expect(try Changeset([delete(1, "a"), insert(1, "a")]).net.isEmpty)
  }

  @Test func `a row whose row ID changes is a deletion and an insertion`() throws {
    let net = try Changeset([update(1, "a", 2, "a"), update(2, "a", 3, "b")]).net
    #expect(lines(net) == [#"DELETE player [1]: id 1, name "a""#, #"INSERT player [3]: id 3, name "b""#])
  }

  @Test func `rows that exchange their row IDs are two updates`() throws {
    let net = try Changeset([update(1, "a", 9, "a"), update(2, "b", 1, "b"), update(9, "a", 2, "a")]).net
    #expect(lines(net) == [#"UPDATE player [1]: name "a" → "b""#, #"UPDATE player [2]: name "b" → "a""#])
  }

  @Test func `deletions precede updates, and updates precede insertions`() throws {
    let net = try Changeset([insert(3, "c"), update(2, "b", 2, "x"), delete(1, "a")]).net
    #expect(net.rows.map(\.operation) == [.delete, .update, .insert])
  }

  @Test func `changes before and after a schema change are not merged`() throws {
    let net = try Changeset([insert(1, "a"), .schema(sql: "DROP INDEX i"), update(1, "a", 1, "b")]).net
    #expect(
      lines(net) == [
        #"INSERT player [1]: id 1, name "a""#, "DROP INDEX i", #"UPDATE player [1]: name "a" → "b""#,
      ])
  }

  @Test func `of several values of a counter, the last one remains`() throws {
    let net = try Changeset([counter(4), insert(1, "a"), counter(5)]).net
    #expect(lines(net) == [#"INSERT player [1]: id 1, name "a""#, "counter of player: 5"])
  }

  @Test func `updates of different columns of a row are merged`() throws {
    let whole = ChangedTable(name: "t", columnNames: ["a", "k", "b"], primaryKey: [1], rowID: .none)
    func part(_ column: String, _ old: String, _ new: String) -> Changeset.Element {
      let table = ChangedTable(
        databaseName: "main", name: "t", columnNames: ["k", column], primaryKey: [0], rowID: .none, whole: whole)
      func image(_ value: String) -> ChangedRow.Image {
        ChangedRow.Image(rowID: 0, values: ["x".databaseValue, value.databaseValue])
      }
      return .row(ChangedRow(table: table, images: .update(old: image(old), new: image(new))))
    }
    let net = try Changeset([part("a", "1", "2"), part("b", "3", "4"), part("a", "2", "5")]).net
    #expect(lines(net) == [#"UPDATE t ["x"]: a "1" → "5", b "3" → "4""#])
  }

  @Test func `rows without row IDs are identified by their primary keys`() throws {
    func image(_ name: String, _ color: String) -> ChangedRow.Image {
      ChangedRow.Image(rowID: 0, values: [name.databaseValue, color.databaseValue])
    }
    let net = try Changeset([
      .row(ChangedRow(table: Self.tag, images: .delete(image("a", "red")))),
      .row(ChangedRow(table: Self.tag, images: .update(old: image("b", "red"), new: image("a", "blue")))),
    ]).net
    #expect(
      lines(net) == [#"DELETE tag ["b"]: name "b", color "red""#, #"UPDATE tag ["a"]: color "red" → "blue""#])
  }

  // MARK: - The inverse

  private func counter(_ value: Int64?) -> Changeset.Element {
    .counter(databaseName: "main", tableName: "player", value: value)
  }

  @Test func `the inverse undoes the changes in reverse order`() throws {
    let inverse = try Changeset([insert(1, "a"), update(1, "a", 1, "b"), delete(2, "c")]).inverted()
    #expect(
      lines(inverse) == [
        #"INSERT player [2]: id 2, name "c""#, #"UPDATE player [1]: name "b" → "a""#,
        #"DELETE player [1]: id 1, name "a""#,
      ])
  }

  @Test func `the inverse restores former counters`() throws {
    let changes = try Changeset([insert(1, "a"), counter(1)], formerNumbers: [counter(nil)])
    let inverse = try changes.inverted()
    #expect(lines(inverse) == [#"DELETE player [1]: id 1, name "a""#, "counter of player: none"])
    #expect(try inverse.inverted() == changes)
  }

  @Test func `the inverse leaves counters out whose former values are unknown`() throws {
    #expect(try lines(Changeset([counter(1)]).inverted()) == [])
  }

  @Test func `schema changes have no inverse`() throws {
    let changes = try Changeset([.schema(sql: "DROP TABLE t")])
    let error = #expect(throws: ChangesetError.self) { try changes.inverted() }
    #expect(error?.message == "a schema change cannot be inverted: DROP TABLE t")
  }

  @Test func `changes followed by their inverse are no change`() throws {
    let changes = try Changeset(
      [insert(1, "a"), update(2, "b", 3, "b"), counter(7)], formerNumbers: [counter(5)])
    #expect(changes.combined(with: try changes.inverted()).net.isEmpty)
  }

  // MARK: - Combining and filtering

  @Test func `combined changes keep the first former value of a counter`() throws {
    let first = try Changeset([counter(5)], formerNumbers: [counter(4)])
    let second = try Changeset([counter(6)], formerNumbers: [counter(5)])
    #expect(try lines(first.combined(with: second).inverted()) == ["counter of player: 4"])
  }

  @Test func `a former value that is unknown remains unknown when changes are combined`() throws {
    let second = try Changeset([counter(6)], formerNumbers: [counter(5)])
    #expect(try Changeset([counter(5)]).combined(with: second).inverted().isEmpty)
  }

  @Test func `rows are filtered by a predicate, and other elements are kept`() throws {
    let changes = try Changeset([insert(1, "a"), delete(2, "b"), counter(1)])
    #expect(lines(changes.filter { $0.operation == .delete }) == [lines(changes)[1], lines(changes)[2]])
  }

  @Test func `the changes of some tables include their counters, but no schema changes`() throws {
    let changes = try Changeset([
      insert(1, "a"), counter(1), .schema(sql: "DROP TABLE t"), .userVersion(databaseName: "main", value: 2),
      .row(
        ChangedRow(table: Self.tag, images: .insert(ChangedRow.Image(rowID: 0, values: [.null, .null])))),
    ])
    #expect(
      lines(changes.filter(tables: ["PLAYER"])) == [#"INSERT player [1]: id 1, name "a""#, "counter of player: 1"])
  }

  // MARK: - Incomplete changes

  @Test func `an incomplete transaction is no changeset`() {
    let transaction = TransactionChanges(
      versions: DatabaseVersion(3)...DatabaseVersion(3), microsecondsSince1970: 0, completeness: .incomplete(.missed))
    let error = #expect(throws: ChangesetError.self) { try Changeset([transaction]) }
    #expect(error?.reason == .incomplete(.missed))
    #expect(
      error?.message == "the transaction of version 3 is incomplete (missed): a changeset requires all changes")
  }

  @Test func `unknown rows are no changeset`() {
    let error = #expect(throws: ChangesetError.self) {
      try Changeset([.unknownRows(databaseName: "main", tableName: "docs")])
    }
    #expect(error?.reason == .incomplete(.notReported))
  }

  @Test func `transactions are combined in their order`() throws {
    let transactions = [[insert(1, "a")], [update(1, "a", 1, "b")]].map {
      TransactionChanges(microsecondsSince1970: 0, elements: $0)
    }
    #expect(try lines(Changeset(transactions).net) == [#"INSERT player [1]: id 1, name "b""#])
  }
}
