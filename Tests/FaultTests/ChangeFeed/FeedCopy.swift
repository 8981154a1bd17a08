import StressSupport
import Tidemark

/// A copy of the tables `one` and `two`, which is kept up to date with the entries of the change feed.
struct FeedCopy: Equatable {
  private var tables: [String: [Int64: [DatabaseValue]]] = ["one": [:], "two": [:]]

  init() {}

  /// Reads the tables; empty if they do not exist.
  init(_ db: Database) throws {
    for name in ["one", "two"] where try db.tableExists(name) {
      for row in try Row.fetchAll(db, sql: "SELECT rowid, * FROM \(name)") {
        tables[name]?[row[0]] = Array(row.databaseValues.dropFirst())
      }
    }
  }

  /// The numbers of the writes that are in a table.
  func numbers(in name: String) -> [Int] { (tables[name] ?? [:]).keys.map { Int($0) }.sorted() }

  /// The tables whose rows are not known.
  private(set) var unknownTables: Set<String> = []

  mutating func forget(_ name: String) { unknownTables.insert(name) }

  /// Applies a change.
  ///
  /// - Returns: Why it does not fit; nil if it does. An entry that is missing or repeated does not fit.
  mutating func apply(_ change: ChangedRow) -> String? {
    let name = change.table.name
    if unknownTables.contains(name) { return nil }
    if case .rowID(let id)? = change.oldIdentity {
      guard let old = tables[name]?.removeValue(forKey: id) else { return "\(change): there is no such row" }
      guard old == change.oldValues else { return "\(change): the old row is \(old)" }
    }
    if case .rowID(let id)? = change.newIdentity {
      guard tables[name]?[id] == nil else { return "\(change): there is such a row" }
      tables[name]?[id] = change.newValues
    }
    return nil
  }

  /// The difference from the tables of the database; nil if there is none.
  func difference(from other: FeedCopy) -> String? {
    for name in ["one", "two"] {
      let (own, rows) = (tables[name] ?? [:], other.tables[name] ?? [:])
      if own == rows || unknownTables.contains(name) { continue }
      let wrong = Set(own.keys).union(rows.keys).filter { own[$0] != rows[$0] }.sorted()
      return "\(own.count) rows of \(name) in the feed, \(rows.count) in the database; different: \(wrong.prefix(9))"
    }
    return nil
  }
}

/// A state of the database from which the feed is followed.
struct FeedStart {
  /// The position; nil to begin with the first entry that is kept.
  var token: ChangeToken?

  var copy = FeedCopy()

  init() {}

  init(_ database: any DatabaseReader) throws {
    (token, copy) = try database.read { db in
      do {
        return (try db.changeToken(), try FeedCopy(db))
      } catch ChangeFeedError.notEnabled {
        return (nil, try FeedCopy(db))
      }
    }
  }
}

/// The entries of a feed after a start, checked against the content of the database.
struct FeedAudit {
  private(set) var problems: [String] = []

  /// The positions after the entries.
  private(set) var tokens: [ChangeToken] = []

  /// The number of entries that say that anything may have changed.
  private(set) var unknownCount = 0

  /// The number of entries of transactions whose rows are not known.
  private(set) var rowlessCount = 0

  /// The content, according to the database.
  private(set) var content = FeedCopy()

  /// Reads all entries.
  ///
  /// The database must contain a feed. Entries that are missing, repeated, changed or in another order are problems,
  /// and so is a transaction with less or more than one entry.
  init(_ database: any DatabaseWriter, after start: FeedStart) async throws {
    let (last, content) = try Self.read(database)
    self.content = content
    var copy = start.copy
    var previous = start.token.map { (version: $0.version, isContinued: false) }
    var numbers: (one: [Int64], two: [Int64]) = ([], [])
    if last != start.token {
      for try await entry in try await database.changes(after: start.token) {
        let (version, changes) = (entry.token.version, entry.changes)
        tokens.append(entry.token)
        if let previous, !version.follows(previous.version, sameTransaction: previous.isContinued) {
          problems.append("version \(version) follows \(previous.version)")
        }
        let isPart = previous?.isContinued == true
        previous = (version, changes.isContinued)
        switch changes.completeness {
        case .incomplete(.unknown): unknownCount += 1
        case .incomplete: rowlessCount += 1
        case .complete:
          // The last part of a large transaction may be empty.
          if changes.elements.isEmpty, !isPart { problems.append("version \(version) has no changes") }
        }
        for name in changes.tablesOfUnknownRows { copy.forget(name) }
        for row in changes.rows {
          if let problem = copy.apply(row) { problems.append("version \(version): \(problem)") }
          guard row.operation == .insert, case .rowID(let number)? = row.newIdentity else { continue }
          if row.table.name == "one" { numbers.one.append(number) }
          if row.table.name == "two" { numbers.two.append(number) }
        }
        if !changes.isContinued {
          let haveOneWrite = numbers.one == numbers.two && numbers.one.count <= 1
          if !haveOneWrite, copy.unknownTables.isEmpty {
            problems.append("version \(version) has the writes \(numbers.one) and \(numbers.two)")
          }
          numbers = ([], [])
        }
        if entry.token == last { break }
        if version > last.version || version == last.version && !changes.isContinued {
          problems.append("the feed ends with \(entry.token), and the last token is \(last)")
          break
        }
      }
    }
    if let difference = copy.difference(from: content) { problems.append(difference) }
  }

  // In an async function, `read` would be the asynchronous one.
  private static func read(_ database: any DatabaseWriter) throws -> (ChangeToken, FeedCopy) {
    try database.read { db in try (db.changeToken(), FeedCopy(db)) }
  }
}

extension TransactionChanges {
  /// The tables whose rows are not known after the transaction.
  fileprivate var tablesOfUnknownRows: [String] {
    // Without its rows, a transaction may have changed all tables.
    if case .incomplete(.notStored) = completeness { return ["one", "two"] }
    return elements.compactMap { if case .unknownRows(_, let name) = $0 { name } else { nil } }
  }
}

extension DatabaseVersion {
  /// The number of the version.
  var count: Int { Int(description) ?? -1 }

  fileprivate func follows(_ other: DatabaseVersion, sameTransaction: Bool) -> Bool {
    count == other.count + (sameTransaction ? 0 : 1)
  }
}
