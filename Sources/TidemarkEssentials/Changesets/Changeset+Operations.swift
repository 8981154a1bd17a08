// The algebra of changesets: pure functions of their elements.

extension Changeset {
  /// The same changes with at most one change for each row: the difference of the first and last state.
  ///
  /// ```swift
  /// // INSERT player 1; UPDATE player 1; DELETE player 2; INSERT player 2
  /// func summary(of changes: Changeset) -> [ChangedRow] {
  ///   changes.net.rows    // INSERT player 1; UPDATE player 2
  /// }
  /// ```
  ///
  /// Changes without an effect are removed. Rows are identified by their row IDs, or by their primary keys in tables
  /// `WITHOUT ROWID`. So a row whose row ID changes is deleted and inserted. Deletions come first, followed by updates
  /// and insertions. Schema changes keep their places: changes before and after them are not merged.
  public var net: Changeset {
    var result: [Element] = []
    var changes = NetChanges()
    var numbers = NumberChanges(formerNumbers)
    for element in elements {
      switch element {
      case .row(let row): changes.add(row)
      case .schema:
        result += changes.takeRows().map { .row($0) }
        result.append(element)
      case .counter, .userVersion: numbers.add(element)
      case .unknownRows, .notification: break
      }
    }
    result += changes.takeRows().map { .row($0) }
    return Changeset(known: result + numbers.net, formerNumbers: numbers.netFormer)
  }

  /// Returns the changes that undo these changes.
  ///
  /// ```swift
  /// func undo(_ changes: Changeset, _ db: Database) throws {
  ///   try db.apply(changes.inverted())
  /// }
  /// ```
  ///
  /// Recorded changesets, and the differences of databases, contain the former values of counters and of
  /// `user_version`. Transactions do not contain them: the inverse then leaves these numbers as they are. New row IDs
  /// are greater than they would have been, but valid.
  ///
  /// - Returns: The inverse.
  /// - Throws: A ``ChangesetError`` if there are schema changes, which have no inverse.
  public func inverted() throws -> Changeset {
    var numbers = NumberChanges(formerNumbers)
    var rows: [Element] = []
    for element in elements.reversed() {
      switch element {
      case .row(let row): rows.append(.row(row.inverted))
      case .schema(let sql):
        throw ChangesetError(.schemaChange, "a schema change cannot be inverted: \(sql)")
      case .counter, .userVersion, .unknownRows, .notification: break
      }
    }
    for element in elements { numbers.add(element) }
    let (elements, former) = numbers.inverted
    return Changeset(known: rows + elements, formerNumbers: former)
  }

  /// Returns these changes followed by others.
  ///
  /// ```swift
  /// func month(_ weeks: [Changeset]) -> Changeset {
  ///   weeks.reduce(Changeset()) { $0.combined(with: $1) }.net
  /// }
  /// ```
  ///
  /// - Parameter other: Changes that begin at the state to which these changes lead.
  /// - Returns: All changes, in their order. Use ``net`` to merge the changes of the same row.
  public func combined(with other: Changeset) -> Changeset {
    let known = Set((formerNumbers + elements).compactMap(NumberChanges.Key.init))
    return Changeset(
      known: elements + other.elements,
      formerNumbers: formerNumbers
        + other.formerNumbers.filter { NumberChanges.Key($0).map { !known.contains($0) } ?? false })
  }

  /// Returns the changes without the rows that a predicate excludes. Other elements are kept.
  ///
  /// ```swift
  /// let insertions = changes.filter { $0.operation == .insert }
  /// ```
  ///
  /// Filter the ``net`` changes if the predicate looks at values: otherwise, a part of the changes of a row may remain,
  /// which leads to conflicts.
  ///
  /// - Parameter isIncluded: Returns whether a changed row is kept.
  /// - Returns: The remaining changes.
  /// - Throws: The error of the predicate.
  public func filter(_ isIncluded: (ChangedRow) throws -> Bool) rethrows -> Changeset {
    Changeset(
      known: try elements.filter { element in
        if case .row(let row) = element { try isIncluded(row) } else { true }
      }, formerNumbers: formerNumbers)
  }

  /// Returns the changes of some tables of the main database, with their counters.
  ///
  /// ```swift
  /// let ofTables = changes.filter(tables: ["player", "team"])
  /// ```
  ///
  /// Schema changes and `user_version` belong to no table: they are removed.
  ///
  /// - Parameter tables: The names of tables. Names are case-insensitive.
  /// - Returns: The remaining changes.
  public func filter(tables: some Sequence<String>) -> Changeset {
    let keys = Set(tables.map { TableKey($0) })
    func isIncluded(_ element: Element) -> Bool {
      switch element {
      case .row(let row): keys.contains(row.table.key)
      case .counter(let databaseName, let tableName, _): keys.contains(TableKey(tableName, in: databaseName))
      case .schema, .userVersion, .unknownRows, .notification: false
      }
    }
    return Changeset(known: elements.filter(isIncluded), formerNumbers: formerNumbers.filter(isIncluded))
  }
}

extension ChangedTable {
  var key: TableKey { TableKey(name, in: databaseName) }
}

/// The first and last values of counters and of `user_version`.
struct NumberChanges {
  /// The identity of a number.
  enum Key: Hashable {
    case counter(TableKey)
    case userVersion(String)

    init?(_ element: Changeset.Element) {
      switch element {
      case .counter(let databaseName, let tableName, _): self = .counter(TableKey(tableName, in: databaseName))
      case .userVersion(let databaseName, _): self = .userVersion(databaseName.asciiLowercased)
      case .row, .schema, .unknownRows, .notification: return nil
      }
    }
  }

  private let former: [Key: Changeset.Element]
  private var order: [Key] = []
  private var last: [Key: Changeset.Element] = [:]

  init(_ former: [Changeset.Element]) {
    // In the order of the changes, the first value is the former one.
    self.former = Dictionary(
      former.compactMap { element in Key(element).map { ($0, element) } }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds the value of a number after a change. Other elements are ignored.
  mutating func add(_ element: Changeset.Element) {
    guard let key = Key(element) else { return }
    if last.updateValue(element, forKey: key) == nil { order.append(key) }
  }

  private var changedKeys: [Key] { order.filter { former[$0] == nil || former[$0] != last[$0] } }

  /// The last values.
  var all: [Changeset.Element] { order.compactMap { last[$0] } }

  /// The last values, without unchanged ones.
  var net: [Changeset.Element] { changedKeys.compactMap { last[$0] } }

  /// The former values of `net`, as far as they are known.
  var netFormer: [Changeset.Element] { changedKeys.compactMap { former[$0] } }

  /// The known former values, and the values that they replace.
  var inverted: (elements: [Changeset.Element], former: [Changeset.Element]) {
    let keys = order.filter { former[$0] != nil }
    return (keys.compactMap { former[$0] }, keys.compactMap { last[$0] })
  }

  /// The former value of the number of an element.
  func former(of element: Changeset.Element) -> Changeset.Element? { Key(element).flatMap { former[$0] } }
}
