import Foundation
import Testing
import Tidemark

/// The defaults of a configuration, and the effects of its properties.
@Suite struct ConfigurationTests {
  @Test func configurationHasDefaults() throws {
    let configuration = Configuration()
    #expect(configuration.foreignKeysEnabled)
    #expect(!configuration.readonly)
    #expect(!configuration.acceptsDoubleQuotedStringLiterals)
    #expect(!configuration.observesSuspensionNotifications)
    #expect(!configuration.publicStatementArguments)
    #expect(!configuration.allowsUnsafeTransactions)
    #expect(!configuration.persistentReadOnlyConnections)
    #expect(configuration.label == nil)
    #expect(configuration.targetQueue == nil)
    #expect(configuration.writeTargetQueue == nil)
    #expect(configuration.filePermissions == nil)
    #expect(configuration.maximumReaderCount == 5)
    #expect(configuration.qos == .userInitiated)
    #expect(configuration.isDefensive)
    #expect(!configuration.isUntrusted)
    #expect(configuration.allowsAttachedFiles)
    #expect(configuration.limits.isEmpty)
    #expect(configuration.transactionClock is DefaultTransactionClock)
    if case .default = configuration.journalMode {} else { Issue.record("\(configuration.journalMode)") }
    if case .timeout(5) = configuration.busyMode {} else { Issue.record("\(configuration.busyMode)") }
  }

  @Test func qualitiesOfServiceComeFromQueues() {
    var configuration = Configuration()
    configuration.qos = .default
    #expect(configuration.readQoS == .default)
    configuration.targetQueue = DispatchQueue(label: "target", qos: .utility)
    #expect(configuration.readQoS == .utility)
    #expect(configuration.writeQoS == .utility)
    configuration.writeTargetQueue = DispatchQueue(label: "write", qos: .background)
    #expect(configuration.readQoS == .utility)
    #expect(configuration.writeQoS == .background)
  }

  @Test func connectionsExposeTheirConfiguration() throws {
    var configuration = Configuration()
    configuration.label = "Shelf"
    configuration.maximumReaderCount = 7
    let dbQueue = try DatabaseQueue(configuration: configuration)
    #expect(dbQueue.configuration.label == "Shelf")
    #expect(dbQueue.configuration.maximumReaderCount == 1)
    dbQueue.inDatabase { #expect($0.configuration.label == "Shelf") }
  }

  @Test func connectionsHaveLabels() throws {
    var configuration = Configuration()
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      #expect(db.description == "Tidemark.DatabaseQueue")
    }
    configuration.label = "Shelf"
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      #expect(db.description == "Shelf")
    }
  }

  // MARK: Preparing

  @Test func preparationsRunInOrderWithFunctionsInstalled() throws {
    let steps = Locked<[String]>([])
    let trace = TraceRecorder()
    var configuration = Configuration()
    trace.attach(to: &configuration)
    configuration.prepareDatabase { db in
      let text = try String.fetchOne(
        db,
        sql:
          "SELECT swiftUppercaseString('é') || (SELECT * FROM pragma_foreign_keys) || ('a' < 'B' COLLATE swiftCaseInsensitiveCompare)"
      )
      steps.update { $0.append("first \(text ?? "")") }
    }
    configuration.prepareDatabase { _ in steps.update { $0.append("second") } }
    _ = try DatabaseQueue(configuration: configuration)
    #expect(steps.value == ["first É11", "second"])
    #expect(trace.lines.first?.hasPrefix("SELECT swiftUppercaseString") == true)
    #expect(trace.lines.last == "SELECT * FROM sqlite_master LIMIT 1")
  }

  @Test func preparationErrorsAreThrown() throws {
    let steps = Locked(0)
    var configuration = Configuration()
    configuration.prepareDatabase { _ in throw Planned(number: 1) }
    configuration.prepareDatabase { _ in steps.update { $0 += 1 } }
    #expect(throws: Planned(number: 1)) { try DatabaseQueue(configuration: configuration) }
    #expect(steps.value == 0)
  }

  @Test func preparationsThatLeaveATransactionOpenTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Configuration()
      configuration.prepareDatabase { try $0.beginTransaction() }
      _ = try DatabaseQueue(configuration: configuration)
    }
    #expect(result.words.contains("A transaction has been left opened at the end of Configuration.prepareDatabase"))
  }

  // MARK: How SQL is understood

  @Test func foreignKeysAreEnforcedByDefault() throws {
    var configuration = Configuration()
    for isOn in [true, false] {
      configuration.foreignKeysEnabled = isOn
      try DatabaseQueue(configuration: configuration).write { db in
        try db.execute(sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id REFERENCES parent)")
        let text = message { try db.execute(sql: "INSERT INTO child VALUES (1)") }
        #expect(text.hasPrefix(isOn ? "SQLite error 19: FOREIGN KEY constraint failed" : "nothing thrown"))
      }
    }
  }

  @Test func doubleQuotedStringsAreRefusedByDefault() throws {
    var configuration = Configuration()
    for accepts in [false, true] {
      configuration.acceptsDoubleQuotedStringLiterals = accepts
      try DatabaseQueue.withBooks(configuration).inDatabase { db throws in
        let query = message { try db.execute(sql: "SELECT \"misspelled\" FROM book") }
        let schema = message { try db.execute(sql: "CREATE INDEX i ON book(\"misspelled\")") }
        if accepts {
          #expect([query, schema] == ["nothing thrown", "nothing thrown"])
        } else {
          #expect(query.contains("no such column"))
          #expect(schema.contains("no such column") || schema.contains("has no column"))
        }
      }
    }
  }

  @Test func schemaTableIsReadOnlyByDefault() throws {
    var configuration = Configuration()
    for isDefensive in [true, false] {
      configuration.isDefensive = isDefensive
      try DatabaseQueue.withBooks(configuration).inDatabase { db throws in
        let text = message {
          try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql")
        }
        #expect(text.contains("table sqlite_master may not be modified") == isDefensive)
      }
    }
  }

  @Test func sqlLimitsAreEnforced() throws {
    var configuration = Configuration()
    configuration.limits = [.parameterCount: 3, .statementSize: 100, .compoundSelectCount: 2, .valueSize: 1_000]
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      #expect(db.maximumStatementArgumentCount == 3)
      #expect(
        message { try db.execute(sql: "SELECT ?, ?, ?, ?", arguments: [1, 2, 3, 4]) }.contains("too many SQL variables")
      )
      #expect(message { try db.execute(sql: "SELECT 1 UNION SELECT 2 UNION SELECT 3") }.contains("too many terms"))
      #expect(message { try db.execute(sql: "SELECT zeroblob(2000)") }.contains("string or blob too big"))
      #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT \(String(repeating: " ", count: 200)) 1") }
    }
  }

  @Test func sqliteLimitsApplyByDefault() throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(db.maximumStatementArgumentCount >= 999)
      #expect(Database.sqliteLibVersionNumber >= 3_035_000)
    }
  }

  @Test func lastErrorIsReported() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO book (title) VALUES (NULL)") }
      #expect(db.lastErrorCode == .SQLITE_CONSTRAINT_NOTNULL)
      #expect(db.lastErrorMessage == "NOT NULL constraint failed: book.title")
    }
  }
}
