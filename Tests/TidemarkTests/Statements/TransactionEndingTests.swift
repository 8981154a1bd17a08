import Testing

@testable import TidemarkEssentials

/// How transactions end, without a database: all transitions of `TransactionMachine.ending`, and their reports.
@Suite struct TransactionEndingTests {
  // MARK: - Settlements

  typealias Event = TransactionMachineTests.Event

  /// The state in which a statement ends.
  struct End {
    var hasFailed = false
    var isOpen = false
    var isStopped = false

    static let succeeded = End()
    static let failed = End(hasFailed: true)
    static let succeededInTransaction = End(isOpen: true)
    static let failedInTransaction = End(hasFailed: true, isOpen: true)
    static let stopped = End(hasFailed: true, isStopped: true)
  }

  struct Case: CustomTestStringConvertible {
    var name: String
    var events: [Event]
    var end: End
    var settlement: TransactionMachine.Settlement

    /// The numbers of the hazards, and the first words of the events in SQLite's change hooks, that the case covers.
    var facts: [String] = []

    init(_ name: String, _ events: [Event], _ end: End, _ settlement: TransactionMachine.Settlement) {
      (self.name, self.events, self.end, self.settlement) = (name, events, end, settlement)
    }

    init(
      _ facts: [String], _ name: String, _ events: [Event], _ end: End, _ settlement: TransactionMachine.Settlement
    ) {
      self.init(name, events, end, settlement)
      self.facts = facts
    }

    var testDescription: String { (facts + [name]).joined(separator: ", ") }
  }

  static let settlements = [
    // Ordinary statements.
    Case("a SELECT outside of transactions", [.outside], .succeeded, .nothing),
    Case("an INSERT in a transaction", [.inside], .succeededInTransaction, .nothing),
    Case("an INSERT in autocommit mode", [.outside, .commitHook], .succeeded, .publish(hasWritten: true)),
    Case("COMMIT after changes", [.inside, .commitHook, .commitSucceeded], .succeeded, .publish(hasWritten: true)),
    Case(["H9"], "COMMIT without changes", [.inside, .commitSucceeded], .succeeded, .publish(hasWritten: false)),
    Case("ROLLBACK", [.inside, .rollbackHook], .succeeded, .discard(isReported: true)),
    Case(["VACUUM"], "VACUUM, DETACH", [.outside, .rebuilt], .succeeded, .publishRebuild),
    Case(
      "VACUUM that also calls the commit hook", [.outside, .rebuilt, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    // Failures: hazards D1 to D7, H7 and H8.
    Case(
      ["H8"], "an INSERT in autocommit mode that a constraint undoes", [.outside, .rollbackHook], .failed,
      .discard(isReported: false)),
    Case(
      ["statement aborted half-way"], "an INSERT in a transaction that a constraint undoes", [.inside],
      .failedInTransaction, .nothing),
    Case(
      "INSERT OR FAIL in autocommit mode, which keeps changes", [.outside, .commitHook], .failed,
      .publish(hasWritten: true)),
    Case("INSERT OR ROLLBACK", [.inside, .rollbackHook], .failed, .discard(isReported: true)),
    Case(
      ["D1"], "a full disk in a transaction, after which SQLite rolls back", [.inside, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case(
      ["D1", "H7"], "COMMIT on a full disk", [.inside, .commitHook, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case(["D2"], "the first read on a full disk", [.outside], .failed, .nothing),
    Case(
      ["D3", "D6"], "an I/O error in a transaction, after which SQLite rolls back", [.inside, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case(["D5"], "a checkpoint whose sync fails", [.outside], .stopped, .nothing),
    Case(["D7"], "no memory in a transaction", [.inside], .failedInTransaction, .nothing),
    Case(
      ["D7"], "no memory in a transaction, after which SQLite rolls back", [.inside, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case("COMMIT while a reader holds its lock", [.inside, .commitHook], .failedInTransaction, .nothing),
    Case(
      ["deferred foreign key"], "COMMIT with violated deferred foreign keys", [.inside], .failedInTransaction,
      .nothing),
    Case(["D4"], "COMMIT whose sync fails without a rollback", [.inside, .commitHook], .stopped, .forget),
    Case(
      ["D4"], "COMMIT whose sync fails", [.inside, .commitHook, .rollbackHook], .stopped,
      .discard(isReported: true)),
    Case("COMMIT without changes in a stopped database", [.inside, .commitSucceeded], .stopped, .forget),
    // Refusals.
    Case(
      ["H13"], "an observer refuses COMMIT", [.inside, .refusedByObserver, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case(
      "an observer refuses an INSERT in autocommit mode", [.outside, .refusedByObserver, .rollbackHook], .failed,
      .discard(isReported: true)),
    Case(
      "the file was moved before an INSERT in autocommit mode", [.outside, .refusedBecauseFileWasMoved, .rollbackHook],
      .failed, .discard(isReported: false)),
    // A statement that SQLite compiles again, because the schema has changed.
    Case(
      "a commit after the rollback of a first attempt", [.outside, .rollbackHook, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    // Changes that the hooks report differently: they end like all others.
    Case(
      ["DELETE FROM t", "prepared before", "prepared after", "H1"], "a DELETE without a condition",
      [.outside, .commitHook], .succeeded, .publish(hasWritten: true)),
    Case(
      ["REPLACE", "H2"], "a REPLACE in autocommit mode", [.outside, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(
      ["WITHOUT ROWID", "H3"], "an UPDATE of a table WITHOUT ROWID", [.outside, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(
      ["foreign-key cascade"], "a DELETE with a cascade", [.outside, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(
      ["UPDATE that changes nothing", "rowid change", "ADD COLUMN", "generated column"], "an UPDATE",
      [.outside, .commitHook], .succeeded, .publish(hasWritten: true)),
    Case(
      ["FTS5", "H4"], "an INSERT into a full-text table", [.outside, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(
      ["DROP", "H5"], "DROP TABLE in autocommit mode", [.outside, .commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(["DROP", "H5"], "DROP TABLE in a transaction", [.inside], .succeededInTransaction, .nothing),
    Case(["ROLLBACK TO", "H6"], "ROLLBACK TO", [.inside], .succeededInTransaction, .nothing),
    Case(
      ["H6"], "RELEASE of the savepoint that began the transaction", [.inside, .commitHook, .commitSucceeded],
      .succeeded, .publish(hasWritten: true)),
    Case(
      ["BEGIN IMMEDIATE"], "COMMIT without changes, with the write lock", [.inside, .commitHook, .commitSucceeded],
      .succeeded, .publish(hasWritten: true)),
    Case(
      ["H9"], "COMMIT of a transaction that has only read", [.inside, .commitSucceeded], .succeeded,
      .publish(hasWritten: false)),
    Case(
      ["incremental blob write", "H11"], "an incremental blob write in autocommit mode", [.commitHook], .succeeded,
      .publish(hasWritten: true)),
    Case(
      ["incremental blob write", "H11"], "an incremental blob write in a transaction", [.inside],
      .succeededInTransaction, .nothing),
    Case(["changeset apply"], "a changeset", [.commitHook], .succeeded, .publish(hasWritten: true)),
    Case(
      ["H12"], "a changeset that is refused, and undone in its savepoint", [.inside], .failedInTransaction, .nothing),
    Case(["session"], "a session that is created", [.outside], .succeeded, .nothing),
    Case(["backup", "H10"], "changes that call no hook", [], .succeeded, .nothing),
    Case(
      ["H13"], "a commit after a hook that has begun to refuse an earlier one",
      [.outside, .refusedByObserver, .rollbackHook, .commitHook], .succeeded, .publish(hasWritten: true)),
    // Several transactions, with the C interface.
    Case("BEGIN, COMMIT, BEGIN, ROLLBACK", [.commitHook, .rollbackHook], .succeeded, .publishUnknown),
    Case("BEGIN, COMMIT, BEGIN", [.commitHook], .succeededInTransaction, .publishUnknownAndContinue),
    Case(
      "a COMMIT, and another one that an observer refuses", [.commitHook, .refusedByObserver, .rollbackHook],
      .succeeded, .publishUnknown),
    Case(
      "a COMMIT before a statement that fails in autocommit mode", [.commitHook, .outside], .failed,
      .publish(hasWritten: true)),
    Case(
      "a COMMIT before a statement that is rolled back", [.commitHook, .outside, .rollbackHook], .failed,
      .publishUnknown),
    Case(
      "a COMMIT, BEGIN, and a statement that fails", [.commitHook, .inside], .failedInTransaction,
      .publishUnknownAndContinue),
    Case("ROLLBACK, BEGIN", [.inside, .rollbackHook], .succeededInTransaction, .discardAndContinue(isReported: true)),
    Case(
      "COMMIT, BEGIN, ROLLBACK, BEGIN", [.commitHook, .rollbackHook], .succeededInTransaction,
      .publishUnknownAndContinue),
    Case("a ROLLBACK after VACUUM", [.rebuilt, .rollbackHook], .succeeded, .publishRebuild),
  ]

  /// The hazards D1 to D7 and H1 to H13, and the events for which SQLite's hooks differ.
  static let facts =
    (1...7).map { "D\($0)" } + (1...13).map { "H\($0)" } + [
      "DELETE FROM t", "prepared before", "prepared after", "REPLACE", "WITHOUT ROWID", "foreign-key cascade",
      "statement aborted half-way", "ROLLBACK TO", "UPDATE that changes nothing", "rowid change",
      "incremental blob write", "ADD COLUMN", "generated column", "FTS5", "VACUUM", "DROP", "changeset apply",
      "BEGIN IMMEDIATE", "deferred foreign key", "session", "backup",
    ]

  @Test(arguments: facts) func eachHazardHasASettlement(_ fact: String) {
    #expect(Self.settlements.contains { $0.facts.contains(fact) })
  }

  @Test(arguments: settlements) func endingsAreSettled(_ test: Case) {
    var machine = TransactionMachine()
    for event in test.events { machine.receive(event) }
    #expect(
      machine.settle(hasFailed: test.end.hasFailed, isOpen: test.end.isOpen, isStopped: test.end.isStopped)
        == test.settlement)
  }

  @Test(arguments: settlements) func anEndingIsSettledOnce(_ test: Case) {
    var machine = TransactionMachine()
    for event in test.events { machine.receive(event) }
    _ = machine.settle(hasFailed: test.end.hasFailed, isOpen: test.end.isOpen, isStopped: test.end.isStopped)
    #expect(machine.settle(hasFailed: false, isOpen: false, isStopped: false) == .nothing)
  }

  // MARK: - All transitions of the ending

  /// The shortest way to each ending. An asterisk marks an ending that an earlier statement has caused.
  private static let paths: [(ending: String, events: [Event])] = [
    ("none", []), ("committed", [.commitHook]), ("committed*", [.commitHook, .inside]), ("back", [.rollbackHook]),
    ("undone", [.commitHook, .rollbackHook]), ("undone*", [.commitHook, .rollbackHook, .outside]),
    ("refused", [.refusedByObserver]), ("nothing", [.commitSucceeded]), ("rebuilt", [.rebuilt]),
  ]

  private static let events: [Event] = [
    .outside, .inside, .commitHook, .rollbackHook, .refusedByObserver, .refusedBecauseFileWasMoved, .commitSucceeded,
    .rebuilt,
  ]

  /// For each ending, the endings to which the events lead, in the order above.
  static let transitions = """
    none        none        none        committed  back     refused     none        nothing     rebuilt
    committed   committed*  committed*  committed  undone   committed   committed   committed   committed
    committed*  committed*  committed*  committed  undone*  committed*  committed*  committed*  committed*
    back        back        back        committed  back     refused     back        back        back
    undone      undone*     undone*     committed  undone   undone      undone      undone      undone
    undone*     undone*     undone*     committed  undone*  undone*     undone*     undone*     undone*
    refused     refused     refused     committed  refused  refused     refused     refused     refused
    nothing     nothing     nothing     committed  back     refused     nothing     nothing     rebuilt
    rebuilt     rebuilt     rebuilt     committed  rebuilt  refused     rebuilt     rebuilt     rebuilt
    """.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }

  @Test func eachEndingHasARow() {
    #expect(Self.transitions.map { $0[0] } == Self.paths.map(\.ending))
    #expect(Self.transitions.allSatisfy { $0.count == Self.events.count + 1 })
  }

  @Test(arguments: transitions) func eventsLeadFromEachEndingToAnother(_ row: [String]) throws {
    let path = try #require(Self.paths.first { $0.ending == row[0] })
    for (event, next) in zip(Self.events, row.dropFirst()) {
      var machine = TransactionMachine()
      for event in path.events { machine.receive(event) }
      try #require(machine.ending.words == row[0])
      machine.receive(event)
      #expect(machine.ending.words == next, "\(event)")
    }
  }
}

extension TransactionMachine.Ending {
  /// The name in the table of transitions.
  fileprivate var words: String {
    switch self {
    case .none: "none"
    case .committed(.currentStatement): "committed"
    case .committed(.earlier): "committed*"
    case .rolledBack: "back"
    case .committedThenRolledBack(.currentStatement): "undone"
    case .committedThenRolledBack(.earlier): "undone*"
    case .refused: "refused"
    case .committedNothing: "nothing"
    case .rebuilt: "rebuilt"
    }
  }
}
