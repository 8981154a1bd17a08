import FoundationEssentials

// The stored steps of named histories.
//
//     tidemark_undo    one row for each transaction of a step: its number in the step, a random number that
//                     identifies it, and its net changes
//
// Invariants:
// 1. A row is stored in the transaction whose changes it contains.
// 2. A step is marked as undone, or as redone, in the transaction that undoes or redoes it.
// 3. What `known` says about the table was true at the end of the last access of this object. If other connections have
//    changed the table since, the steps are read again.

/// The stored steps of a named history.
struct HistoryTable: Sendable {
  static let tableName = CaptureNeeds.undoTableName

  /// The name of the history.
  let name: String

  /// The stored steps, by their numbers.
  private(set) var known: [Int64: Mark] = [:]

  /// The state of a stored step. Another step of the same number has another mark.
  struct Mark: Equatable {
    var isUndone: Bool
    var partCount: Int64

    /// The greatest random number of its parts.
    var identity: Int64
  }

  /// A part of a step: the changes of one transaction.
  struct Part {
    var step: Int64
    var number: Int64
    var name: String?
    var changes: Changeset
  }

  init(name: String) { self.name = name }

  /// Creates the table. Like the tables of the feed, it is part of no stream.
  static func create(_ db: Database) throws {
    try db.compile(
      """
      CREATE TABLE IF NOT EXISTS main.\(tableName) (
        history TEXT NOT NULL, step INTEGER NOT NULL, part INTEGER NOT NULL, name TEXT, isUndone INTEGER NOT NULL,
        identity INTEGER NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (history, step, part))
      """, isInternal: true
    ).runToEnd(nil)
  }

  // MARK: - Reading

  /// The numbers of stored steps are less: a history counts on from the last one.
  private static let stepEnd: Int64 = 1 << 62

  /// Whether other connections have changed the steps.
  func isOutdated(_ db: Database) throws -> Bool { try storedMarks(db) != known }

  private func storedMarks(_ db: Database) throws -> [Int64: Mark] {
    let rows = try db.internalRows(
      """
      SELECT step, max(isUndone), count(*), max(identity) FROM main.\(Self.tableName) WHERE history = ? GROUP BY step
      """, [name.databaseValue])
    var marks: [Int64: Mark] = [:]
    for row in rows {
      guard case .int64(let step) = row[0].storage, case .int64(let isUndone) = row[1].storage,
        case .int64(let partCount) = row[2].storage, case .int64(let identity) = row[3].storage
      else { throw damaged }
      marks[step] = Mark(isUndone: isUndone != 0, partCount: partCount, identity: identity)
    }
    return marks
  }

  /// Reads the parts of all steps, in their order.
  mutating func read(_ db: Database) throws -> [(part: Part, isUndone: Bool)] {
    known = try storedMarks(db)
    let rows = try db.internalRows(
      "SELECT step, part, name, changes FROM main.\(Self.tableName) WHERE history = ? ORDER BY step, part",
      [name.databaseValue])
    return try rows.map { row in
      guard case .int64(let step) = row[0].storage, (1..<Self.stepEnd).contains(step),
        case .int64(let number) = row[1].storage, case .blob(let bytes) = row[3].storage
      else { throw damaged }
      var stepName: String?
      if case .string(let text) = row[2].storage { stepName = text }
      let part = Part(step: step, number: number, name: stepName, changes: try Changeset(decoding: bytes))
      return (part, known[step]?.isUndone == true)
    }
  }

  private var damaged: DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the stored steps of the history \(name) are damaged")
  }

  // MARK: - Writing

  /// Stores a part of a step.
  mutating func insert(_ part: Part, _ db: Database) throws {
    let identity = Int64.random(in: 1 ... .max)
    try run(
      "INSERT INTO main.\(Self.tableName) VALUES (?, ?, ?, ?, 0, ?, ?)",
      [
        name.databaseValue, part.step.databaseValue, part.number.databaseValue, part.name?.databaseValue ?? .null,
        identity.databaseValue, DatabaseValue(.blob(Data(part.changes.encoded()))),
      ], db)
    let former = known[part.step]
    known[part.step] = Mark(
      isUndone: false, partCount: (former?.partCount ?? 0) + 1, identity: max(former?.identity ?? 0, identity))
  }

  /// Removes the steps that a history has forgotten, and marks those that were undone or redone.
  mutating func update(to state: HistoryState, _ db: Database) throws {
    var marks: [Int64: Bool] = [:]
    for step in state.undoable { marks[step.number] = false }
    for step in state.redoable { marks[step.number] = true }
    if let open = state.groupNumber { marks[open] = false }
    for (step, known) in known where marks[step] != known.isUndone {
      let key = [name.databaseValue, step.databaseValue]
      if let mark = marks[step] {
        try run(
          "UPDATE main.\(Self.tableName) SET isUndone = ?3 WHERE history = ?1 AND step = ?2",
          key + [Int64(mark ? 1 : 0).databaseValue], db)
        self.known[step]?.isUndone = mark
      } else {
        try run("DELETE FROM main.\(Self.tableName) WHERE history = ? AND step = ?", key, db)
        self.known[step] = nil
      }
    }
  }

  private func run(_ sql: String, _ values: [DatabaseValue], _ db: Database) throws {
    try db.compile(sql, isInternal: true).runToEnd(StatementArguments(values: values))
  }
}
