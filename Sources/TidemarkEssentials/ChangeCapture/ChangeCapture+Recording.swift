// Recording the changes of a part of the open transaction.
//
// The needs of a transaction are determined when it begins. A recording raises them for its duration: it needs all
// changes. Subscribers then receive more than they need, which they ignore.

extension ChangeCapture {
  /// The needs of the current transaction before the outermost recording raised them.
  struct FormerNeeds {
    var ofSubscribers: CaptureNeeds
    var version: Int
  }

  /// A recording whose changes are applied by other nodes: see `Database+Replication.swift`.
  struct Replication {
    /// The bound of the log outside of the recording.
    let formerBound: ChangeLog.Bound

    /// The written virtual tables whose content is stored in tables, so that the log contains it.
    fileprivate(set) var storedVirtualTables: Set<TableKey> = []

    /// The statement that creates, drops or renames a virtual table now.
    fileprivate var virtualTableChange: ObjectIdentifier?
  }

  /// Begins to record all changes of the open transaction.
  ///
  /// - Throws: An error if the connection cannot report rows, or if it is unknown which of its changes are undone.
  func beginRecording() throws -> FormerNeeds? {
    guard let db, db.capture.changeObserver === self, log.isOpen, !log.isInStep else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "changes are recorded on a connection that can write, in a transaction")
    }
    endCaptureBypass()
    noteForeignStatements(on: db)
    if !usesRowHook {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: SQLiteLibrary.hasPreupdateHook
          ? "changes cannot be recorded: other code, such as a session, uses the pre-update hook of the connection"
          : "changes cannot be recorded: the linked SQLite library has no pre-update hook")
    }
    let former = log.recordings.isEmpty ? FormerNeeds(ofSubscribers: needs.ofSubscribers, version: needs.version) : nil
    log.beginRecording()
    if former != nil {
      broker.setRecording(true)
      needs.ofSubscribers = needs.ofSubscribers.union(.all)
      forgetPlans()
      if !receivesRows { receiveRows(true) }
    }
    return former
  }

  /// Ends the innermost recording.
  ///
  /// - Parameter former: The result of `beginRecording`.
  /// - Returns: The recorded changes; nil if the transaction has ended.
  func endRecording(restoring former: FormerNeeds?) -> CommittedChanges? {
    endCaptureBypass()
    noteForeignStatements(on: db)
    let changes = log.recordedChanges()
    _ = log.endRecording()
    guard let former else { return changes }
    broker.setRecording(false)
    // Another transaction may have begun, with the needs of that moment.
    (needs.ofSubscribers, needs.version) =
      former.version == needs.version ? (former.ofSubscribers, former.version) : broker.current
    forgetPlans()
    if db.handle != nil, receivesRows != broker.rowNeeds.exist { receiveRows(broker.rowNeeds.exist) }
    return changes
  }
}

// MARK: - Recording for other nodes

// Virtual tables store their content in shadow tables, whose rows are reported: they stand for the content. A statement
// that creates, drops or renames a virtual table also creates, drops or renames its shadow tables, and writes rows into
// them. It does this again on the other nodes, so the log contains only the statement.

extension ChangeCapture {
  /// Modules that keep all of their content in shadow tables.
  private static let storingModules: Set = ["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"]

  /// Modules without content of their own.
  private static let derivedModules: Set = ["fts5vocab", "fts4aux", "fts3tokenize"]

  /// Begins to record the changes for other nodes, as many as there are.
  func beginReplicatedRecording() throws -> FormerNeeds? {
    if replication != nil {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a replicated write cannot contain another one")
    }
    let former = try beginRecording()
    replication = Replication(formerBound: log.bound)
    log.bound = log.bound.withoutLimits
    return former
  }

  /// Ends the recording for other nodes.
  ///
  /// - Returns: The recorded changes, and the written virtual tables whose content they contain; nil if the transaction
  ///   has ended.
  func endReplicatedRecording(restoring former: FormerNeeds?) -> (CommittedChanges, stored: Set<TableKey>)? {
    let changes = endRecording(restoring: former)
    guard let replication = replication.take() else { preconditionFailure("A recording ended that had not begun") }
    log.bound = replication.formerBound
    return changes.map { ($0, replication.storedVirtualTables) }
  }

  /// Checks whether the changes of a statement can be applied by other nodes.
  func willReplicate(_ statement: Statement) throws {
    guard let writes = statement.writes else { return }
    replication?.virtualTableChange = nil
    if let table = writes.tableOfNode {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: """
          a replicated write cannot change table \(table), or create an index or a trigger of it: the table belongs to \
          the node
          """, sql: statement.sql)
    }
    if !writes.schemaChanges.isEmpty {
      try willReplicateSchemaChange(statement, writes)
    } else if writes.changesSettings, writes.userVersionDatabase == nil {
      try checkSettings(of: statement)
    } else if !writes.tables.isEmpty, !isOrdinary(statement) {
      for table in writes.tables where try table.key.isInMain && catalogTable(table.key)?.kind == .virtualTable {
        try checkModule(of: table.key, catalogTable(table.key)?.sql, accepting: Self.storingModules)
        replication?.storedVirtualTables.insert(table.key)
      }
    }
  }

  private func willReplicateSchemaChange(_ statement: Statement, _ writes: StatementWrites) throws {
    if writes.schemaChanges.contains(where: { $0.kind == .alter }), try db.openHandle().isOn(.legacyAlteration) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a replicated write cannot alter tables while PRAGMA legacy_alter_table is on: turn it off",
        sql: statement.sql)
    }
    guard let change = writes.schemaChanges.first(where: { $0.subject == .table }) else { return }
    let key = TableKey(change.name, in: change.database)
    let sql = change.kind == .create ? statement.sql : try catalogTable(key)?.sql
    guard let sql, sql.virtualTableModule != nil else { return }
    if key.isInMain { try checkModule(of: key, sql, accepting: Self.storingModules.union(Self.derivedModules)) }
    // The buffered content of virtual tables belongs to earlier statements.
    try db.flushVirtualTables()
    replication?.virtualTableChange = ObjectIdentifier(statement)
  }

  private func checkModule(of key: TableKey, _ sql: String?, accepting modules: Set<String>) throws {
    let module = sql?.virtualTableModule ?? ""
    if modules.contains(module) { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        virtual table \(key.name) of module \(module) cannot be changed in a replicated write: only full-text tables \
        and R*Trees can
        """)
  }

  private func checkSettings(of statement: Statement) throws {
    var tokens = SQLTokenizer(statement.sql)
    var setting: String?
    while tokens.next() != nil {
      let token = String(statement.sql[tokens.range]).asciiLowercased
      if token == "application_id" || token == "schema_version" { setting = token }
    }
    guard let setting else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "PRAGMA \(setting) is not replicated: execute it on each node, outside of replicated writes",
      sql: statement.sql)
  }

  /// Removes the nested changes of a statement that changes a virtual table from the log. If it has failed, SQLite has
  /// undone them.
  ///
  /// - Returns: False if the statement is another one.
  func removeNestedChanges(of statement: Statement) -> Bool {
    guard replication?.virtualTableChange == ObjectIdentifier(statement) else { return false }
    log.dropStepChanges()
    return true
  }
}

extension StatementWrites {
  /// The table of a node of a cluster that the statement changes, if there is one.
  fileprivate var tableOfNode: String? {
    let schemaTables = schemaChanges.lazy.compactMap { $0.table ?? ($0.subject == .table ? $0.name : nil) }
    return (tables.lazy.map(\.key.name) + schemaTables).first {
      let name = $0.asciiLowercased
      return name == CaptureNeeds.clusterTablePrefix || name.hasPrefix(CaptureNeeds.clusterTablePrefix + "_")
    }
  }
}

extension TableKey {
  fileprivate var isInMain: Bool { database.asciiLowercased == "main" }
}

extension Database {
  /// Makes full-text tables write their content, which they buffer until the transaction is committed, or a savepoint
  /// is opened.
  func flushVirtualTables() throws {
    for sql in ["SAVEPOINT tidemark_flush", "RELEASE tidemark_flush"] {
      try untraced { try preparedStatement(sql: sql).availableStatement().runToEnd(nil) }
    }
  }
}

extension String {
  /// The module of a `CREATE VIRTUAL TABLE` statement, in lower case; nil for another statement.
  fileprivate var virtualTableModule: String? {
    var tokens = SQLTokenizer(self)
    func next() -> String? { tokens.next() == nil ? nil : String(self[tokens.range]).asciiLowercased }
    guard next() == "create", next() == "virtual" else { return nil }
    while let token = next() {
      if token == "using" { return next()?.filter { !"\"'`[]".contains($0) } }
    }
    return nil
  }
}
