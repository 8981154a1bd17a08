import StressSupport

/// Composes random transactions in a schema.
struct TransactionGenerator {
  let choices: RandomChoices
  let schema: ShapeSchema
  let kind: ShapeDatabase.Kind

  /// The shapes of the current transaction.
  var shapes: Set<Shape> = []
  private var schemaChangeCount = 0

  init(_ choices: RandomChoices, schema: ShapeSchema, kind: ShapeDatabase.Kind) {
    self.choices = choices
    self.schema = schema
    self.kind = kind
  }

  mutating func makeTransaction() -> ShapeTransaction {
    shapes = []
    var statements: [ShapeStatement] =
      switch choices.below(124) {
      case 0..<20: [statement()]
      case 20..<28: (0..<2 + choices.below(2)).map { _ in statement() }
      case 28..<58: transaction((0..<1 + choices.below(4)).map { _ in statement() })
      case 58..<76: transaction(savepoints())
      case 76..<82: [blobWrite()]
      case 82..<86: transaction([statement(), blobWrite()])
      case 86..<90: transaction([manyRows(), statement()])
      case 90..<97: transaction(schemaChange() + [statement()])
      case 97..<100: vacuum()
      case 100..<104: [unfinishedStatement(), statement()]
      case 114..<118: [statement(), undone()]
      case 118..<124: (0..<2 + choices.below(3)).map { _ in choices.chance(20) ? undone() : statement() }
      case 104..<106: transaction([unfinishedStatement(), statement()])
      default: rareStatements()
      }
    if !shapes.contains(.explicitTransaction) { shapes.insert(.autocommit) }
    if choices.chance(15) { statements = statements.map { withoutLibrary($0) } }
    // It adds a shape.
    let executor = executor()
    return ShapeTransaction(statements: statements, shapes: shapes, executor: executor)
  }

  private mutating func executor() -> ShapeTransaction.Executor {
    if shapes.contains(.autocommit), choices.chance(12) {
      shapes.remove(.autocommit)
      shapes.insert(.concurrentWrites)
      return .concurrent
    }
    if kind == .memory || shapes.contains(.attachedAgain) { return .observed }
    let number = choices.below(100)
    if kind == .processes, number < 23 { shapes.insert(.otherProcess) }
    switch number {
    case 0..<13:
      shapes.insert(.otherConnection)
      return .other
    case 13..<23:
      shapes.insert(.connectionWithoutLibrary)
      return .withoutLibrary
    default: return .observed
    }
  }

  private mutating func with(_ shape: Shape, _ statements: [ShapeStatement]) -> [ShapeStatement] {
    shapes.insert(shape)
    return statements
  }

  private mutating func withoutLibrary(_ statement: ShapeStatement) -> ShapeStatement {
    guard case .sql(let sql) = statement else { return statement }
    shapes.insert(.rawHandle)
    return .raw(sql)
  }

  private mutating func transaction(_ statements: [ShapeStatement]) -> [ShapeStatement] {
    let end = choices.chance(8) ? "ROLLBACK" : "COMMIT"
    let begin = choices.pick(["BEGIN", "BEGIN IMMEDIATE"])
    return with(.explicitTransaction, [.sql(begin)] + statements + [.sql(end)])
  }

  /// Returns statements of which some are in savepoints, which may be undone.
  private mutating func savepoints() -> [ShapeStatement] {
    var statements = [statement(), .sql("SAVEPOINT s"), statement()]
    if choices.chance(50) {
      statements += [.sql("SAVEPOINT t"), statement()] + end(ofSavepoint: "t") + [statement()]
    }
    return with(.savepoint, statements + end(ofSavepoint: "s") + [statement()])
  }

  private mutating func end(ofSavepoint name: String) -> [ShapeStatement] {
    if choices.chance(50) { return [.sql("RELEASE \(name)")] }
    return with(.rollbackToSavepoint, [.sql("ROLLBACK TO \(name)"), .sql("RELEASE \(name)")])
  }

  private mutating func statement() -> ShapeStatement {
    var generator = StatementGenerator(choices, schema: schema)
    defer { shapes.formUnion(generator.shapes) }
    return .sql(generator.makeStatement())
  }

  private mutating func undone() -> ShapeStatement {
    shapes.insert(.savepointOfLibrary)
    let statements = (0..<1 + choices.below(2)).map { _ in
      var generator = StatementGenerator(choices, schema: schema)
      return generator.makeStatement()
    }
    return .undone(statements)
  }

  private mutating func blobWrite() -> ShapeStatement {
    let table = choices.pick(schema.tables.filter { $0.kind == .table && !$0.isWithoutRowID } + [schema.tables[0]])
    let columns = table.writableColumns.filter { !$0.isSource }
    if columns.isEmpty { return statement() }
    shapes.insert(.blobWrite)
    let byte = choices.pick(["a", "b", "B", "1", "2"] as [Unicode.Scalar])
    return .blobWrite(
      schema: table.schema.isEmpty ? "main" : table.schema, table: table.name,
      column: choices.pick(columns).name, byte: UInt8(ascii: byte))
  }

  /// Inserts more rows than live queries request from change capture, and deletes most of them.
  private mutating func manyRows() -> ShapeStatement {
    let tables = schema.tables.filter { $0.kind == .table && !$0.hasTriggers && !$0.isParent }
    guard !tables.isEmpty else { return statement() }
    let table = choices.pick(tables)
    shapes.insert(.manyRows)
    let columns = table.writableColumns.map(\.sql)
    let values = columns.indices.map { $0 == 0 ? "i + 1000" : "i % 7" }.joined(separator: ", ")
    let kept = choices.pick([1_000, 1_004])
    return .sql(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(choices.pick([300, 2_500]))) \
      INSERT OR IGNORE INTO \(table.sql) (\(columns.joined(separator: ", "))) SELECT \(values) FROM n; \
      DELETE FROM \(table.sql) WHERE \(columns[0]) > \(kept)
      """)
  }

  /// Deletes a row, so that `VACUUM` may assign new row IDs.
  private mutating func vacuum() -> [ShapeStatement] {
    let table = choices.pick(schema.tables.filter { $0.kind == .table && $0.schema.isEmpty })
    let deletion = "DELETE FROM \(table.sql) WHERE rowid = (SELECT min(rowid) FROM \(table.sql))"
    let row = table.hasRowID && choices.chance(50) ? [ShapeStatement.sql(deletion)] : []
    return with(.vacuum, row + [.sql("VACUUM")])
  }

  // MARK: - Rare statements

  /// Returns a statement that changes rows, and is reset after its first row.
  private mutating func unfinishedStatement() -> ShapeStatement {
    var generator = StatementGenerator(choices, schema: schema)
    defer { shapes.formUnion(generator.shapes) }
    shapes.insert(.unfinishedStatement)
    return .unfinished("\(generator.changeOfRows()) RETURNING *")
  }

  /// Returns statements that concern more than rows.
  private mutating func rareStatements() -> [ShapeStatement] {
    switch choices.below(11) {
    case 10:
      let mode = choices.pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
      return with(.checkpoint, [.sql("PRAGMA wal_checkpoint(\(mode))"), statement()])
    case 6...9:
      guard let table = schema.tables.first(where: { $0.kind == .externalContent }) else { break }
      // Without triggers, the index does not know the changed texts before.
      let content = schema.tables.filter { $0.kind == .table && $0.columns.prefix(2).map(\.name) == ["a", "b"] }
      let changes = content.prefix(1).map { ShapeStatement.sql("UPDATE OR IGNORE \($0.sql) SET b = 'a b'") }
      return with(.rebuild, changes + [.sql("INSERT INTO \(table.name) (\(table.name)) VALUES ('rebuild')")])
    case 0: return with(.analyze, [statement(), .sql("ANALYZE"), statement()])
    case 1, 2:
      let database = choices.pick(["", "", "main.", "aux."])
      return with(
        .userVersion, transaction([.sql("PRAGMA \(database)user_version = \(choices.below(9))"), statement()]))
    case 3, 4:
      let name = choices.pick(["foreign_keys", "recursive_triggers", "ignore_check_constraints", "defer_foreign_keys"])
      let statements = [ShapeStatement.sql("PRAGMA \(name) = OFF"), statement(), statement()]
      return with(.changedPragma, [.sql("PRAGMA \(name) = ON")] + statements + [.sql("PRAGMA \(name) = ON")])
    case 5 where !kind.isPool: return with(.attachedAgain, [.attachAgain(statementsOfCopy(in: "aux"))])
    default: break
    }
    return with(.restore, [.restore(statementsOfCopy(in: ""))])
  }

  /// Returns statements for a copy of a database.
  private mutating func statementsOfCopy(in schemaName: String) -> [String] {
    var schema = schema
    schema.tables.removeAll { $0.schema != schemaName }
    if schema.tables.isEmpty { return [] }
    let outer = shapes
    defer { shapes = outer }
    return (0..<1 + choices.below(3)).map { _ in
      var generator = StatementGenerator(choices, schema: schema)
      return generator.makeStatement()
    }
  }

  // MARK: - Schema changes

  private mutating func schemaChange() -> [ShapeStatement] {
    schemaChangeCount += 1
    let number = schemaChangeCount
    let table = choices.pick(schema.tables.filter { $0.kind == .table })
    let column = choices.pick(table.columns).sql
    let schemaName = table.schema.isEmpty ? "main" : table.schema
    let changes: [ShapeStatement] =
      switch choices.below(15) {
      case 14: failedVirtualTable(number)
      case 10: [.sql("ALTER TABLE \(table.sql) DROP COLUMN \(column)")]
      case 11: [.sql("DROP TRIGGER IF EXISTS r\(choices.below(2))")]
      case 12: [.sql("CREATE UNIQUE INDEX \(schemaName).j\(number) ON \(table.name.quotedAsName) (\(column))")]
      case 13: [trigger(number)]
      case 9 where !kind.isPool: [temporaryTrigger(number)]
      case 0: [.sql("ALTER TABLE \(table.sql) ADD COLUMN n\(number) DEFAULT 3")]
      case 1: [.sql("CREATE INDEX \(schemaName).j\(number) ON \(table.name.quotedAsName) (\(column))")]
      case 2: [.sql("DROP INDEX IF EXISTS \(schemaName).\(choices.pick(table.indexes + ["j1"]))")]
      case 3: [.sql("DROP TABLE \(table.sql)"), .sql(table.definition)]
      case 4:
        [
          .sql("ALTER TABLE \(table.sql) RENAME TO old\(number)"),
          .sql("CREATE VIEW \(table.sql) AS SELECT * FROM old\(number)"),
        ]
      case 5:
        [
          .sql("CREATE TABLE \(schemaName).new\(number) AS SELECT * FROM \(table.sql)"),
          .sql("DROP TABLE \(table.sql)"),
          .sql("ALTER TABLE \(schemaName).new\(number) RENAME TO \(table.name.quotedAsName)"),
        ]
      case 6: [.sql("ALTER TABLE \(table.sql) RENAME COLUMN \(column) TO n\(number)")]
      case 7 where !kind.isPool:
        [.sql("CREATE TEMP TABLE \(table.name.quotedAsName) AS SELECT * FROM \(table.sql) LIMIT 2")]
      default: redefinedView() ?? [.sql("REINDEX")]
      }
    return with(.schemaChange, changes)
  }

  /// A virtual table that cannot be created, because one of its own tables exists.
  private func failedVirtualTable(_ number: Int) -> [ShapeStatement] {
    [.sql("CREATE TABLE z\(number)_config (x)"), .sql("CREATE VIRTUAL TABLE z\(number) USING fts5(a)")]
  }

  /// Creates a trigger that only this connection has.
  private mutating func temporaryTrigger(_ number: Int) -> ShapeStatement {
    shapes.insert(.temporaryTrigger)
    return trigger(number, isTemporary: true)
  }

  /// Creates a trigger. Later transactions may execute it.
  private func trigger(_ number: Int, isTemporary: Bool = false) -> ShapeStatement {
    let tables = schema.tables.filter { $0.kind == .table && (isTemporary || $0.schema.isEmpty) }
    let (table, target) = (choices.pick(tables), choices.pick(tables))
    let column = target.writableColumns.last?.sql ?? "a"
    let event = choices.pick(["INSERT", "UPDATE", "DELETE"])
    let row = event == "DELETE" ? "old" : "new"
    return .sql(
      """
      CREATE \(isTemporary ? "TEMP " : "")TRIGGER x\(number) AFTER \(event) ON \(table.sql) BEGIN \
      UPDATE OR IGNORE \(target.name.quotedAsName) SET \(column) = \(row).\(choices.pick(table.columns).sql); END
      """)
  }

  /// Replaces a view by one that reads another table.
  private func redefinedView() -> [ShapeStatement]? {
    let views = schema.tables.filter { $0.kind == .view }
    let tables = schema.tables.filter { $0.kind == .table && $0.schema.isEmpty }
    if views.isEmpty { return nil }
    let view = choices.pick(views)
    let table = choices.pick(tables)
    let columns = view.columns.enumerated().map { number, column in
      "\(table.columns[number % table.columns.count].sql) AS \(column.sql)"
    }
    return [
      .sql("DROP VIEW \(view.sql)"),
      .sql("CREATE VIEW \(view.sql) AS SELECT \(columns.joined(separator: ", ")) FROM \(table.sql)"),
    ]
  }
}
