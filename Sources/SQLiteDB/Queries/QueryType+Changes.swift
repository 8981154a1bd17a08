/// What an insert does with a row that is there already.
public enum OnConflict: String, Sendable, Hashable {
  /// The row that is there goes.
  case replace = "REPLACE"

  /// The transaction is undone.
  case rollback = "ROLLBACK"

  /// The statement is undone: what happens when nothing is said.
  case abort = "ABORT"

  /// The statement ends, and what it has done before stays.
  case fail = "FAIL"

  /// The new row is left out.
  case ignore = "IGNORE"
}

extension QueryType {
  // MARK: Inserts

  /// Inserts a row: `INSERT INTO "users" ("email") VALUES ('alice@mac.com')`.
  public func insert(_ value: Setter, _ more: Setter...) -> Insert { insert([value] + more) }

  /// Inserts a row.
  public func insert(_ values: [Setter]) -> Insert { inserting(nil, [values]) }

  /// Inserts a row, or does something else when it is there already: `INSERT OR REPLACE INTO "users" …`.
  public func insert(or onConflict: OnConflict, _ values: Setter...) -> Insert { insert(or: onConflict, values) }

  /// Inserts a row, or does something else when it is there already: `INSERT OR REPLACE INTO "users" …`.
  public func insert(or onConflict: OnConflict, _ values: [Setter]) -> Insert { inserting(onConflict, [values]) }

  /// Inserts a row of default values: `INSERT INTO "timestamps" DEFAULT VALUES`.
  public func insert() -> Insert { inserting(nil, []) }

  /// Inserts several rows: `INSERT INTO "users" ("email") VALUES ('alice@mac.com'), ('geoff@mac.com')`.
  ///
  /// The rows may have different columns, in any order: a row has NULL where it says nothing.
  public func insertMany(_ values: [[Setter]]) -> Insert { inserting(nil, values) }

  /// Inserts several rows.
  @_disfavoredOverload
  public func insertMany(_ values: [Setter]...) -> Insert { inserting(nil, values) }

  /// Inserts several rows, or does something else with those that are there already.
  public func insertMany(or onConflict: OnConflict, _ values: [[Setter]]) -> Insert { inserting(onConflict, values) }

  /// Inserts several rows, or does something else with those that are there already.
  @_disfavoredOverload
  public func insertMany(or onConflict: OnConflict, _ values: [Setter]...) -> Insert { inserting(onConflict, values) }

  /// Inserts the rows of a query: `INSERT INTO "users" SELECT …`.
  public func insert(_ query: any QueryType) -> Update {
    var writer = clauses.insertion(nil)
    writer.write(" ")
    writer.write(query.expression)
    return Update(writer.template, writer.bindings)
  }

  private func inserting(_ onConflict: OnConflict?, _ rows: [[Setter]]) -> Insert {
    if rows.count == 1, let row = InsertedRow(clauses, onConflict, rows[0]) { return Insert(row) }
    return Insert(insertionText(onConflict, rows))
  }

  private func insertionText(_ onConflict: OnConflict?, _ rows: [[Setter]]) -> SQLExpression<Void> {
    var writer = clauses.insertion(onConflict)
    writer.writeRows(rows)
    return writer.expression()
  }

  // MARK: Upserts

  /// Inserts a row, or updates the one that is there already: `INSERT … ON CONFLICT ("email") DO UPDATE SET …`.
  ///
  /// - parameter insertValues: The columns of the row, and their values.
  /// - parameter conflicting: The column that makes a row be there already. Several are one expression each of a list:
  ///   see the form that takes an array.
  public func upsert(_ insertValues: Setter..., onConflictOf conflicting: any Expressible) -> Insert {
    upsert(insertValues, onConflictOf: conflicting)
  }

  /// Inserts a row, or updates the one that is there already.
  public func upsert(_ insertValues: [Setter], onConflictOf conflicting: any Expressible) -> Insert {
    upsert(insertValues, onConflictOf: [conflicting])
  }

  /// Inserts a row, or sets columns of the one that is there already.
  public func upsert(
    _ insertValues: Setter..., onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    upsert(insertValues, onConflictOf: conflicting, set: setValues)
  }

  /// Inserts a row, or sets columns of the one that is there already.
  public func upsert(
    _ insertValues: [Setter], onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    upsert(insertValues, onConflictOf: [conflicting], set: setValues)
  }

  /// Inserts a row, or updates the one with the same values in several columns: `ON CONFLICT ("local", "domain")`.
  public func upsert(_ insertValues: Setter..., onConflictOf conflicting: [any Expressible]) -> Insert {
    upsert(insertValues, onConflictOf: conflicting)
  }

  /// Inserts a row, or updates the one with the same values in several columns: `ON CONFLICT ("local", "domain")`.
  public func upsert(_ insertValues: [Setter], onConflictOf conflicting: [any Expressible]) -> Insert {
    let keys = Set(conflicting.map(\.expression.template))
    let updates = insertValues.filter { !keys.contains($0.column.template) }
    return upsert(insertValues, onConflictOf: conflicting, set: updates.map(\.excluded))
  }

  /// Inserts a row, or sets columns of the one with the same values in several columns.
  public func upsert(
    _ insertValues: [Setter], onConflictOf conflicting: [any Expressible], set setValues: [Setter]
  ) -> Insert {
    var writer = SQLWriter()
    writer.write(insert(insertValues))
    writer.write(" ON CONFLICT (")
    writer.writeList(conflicting.map(\.expression))
    writer.write(setValues.isEmpty ? ") DO NOTHING" : ") DO UPDATE SET ")
    writer.writeList(setValues.map(\.expression))
    return Insert(writer.template, writer.bindings)
  }

  // MARK: Updates and deletes

  /// Updates the rows of the query: `UPDATE "users" SET "email" = 'alice@me.com' WHERE ("id" = 1)`.
  public func update(_ values: Setter...) -> Update { update(values) }

  /// Updates the rows of the query.
  public func update(_ values: [Setter]) -> Update {
    var writer = SQLWriter()
    clauses.writeCommonTables(to: &writer)
    writer.write("UPDATE ")
    clauses.writeTable(to: &writer)
    writer.write(" SET ")
    writer.writeList(values.map(\.expression))
    clauses.writeChoice(to: &writer)
    return Update(writer.template, writer.bindings)
  }

  /// Deletes the rows of the query: `DELETE FROM "users" WHERE ("id" = 1)`.
  public func delete() -> Delete {
    var writer = SQLWriter()
    clauses.writeCommonTables(to: &writer)
    writer.write("DELETE FROM ")
    clauses.writeTable(to: &writer)
    clauses.writeChoice(to: &writer)
    return Delete(writer.template, writer.bindings)
  }
}

extension QueryClauses {
  /// The words before the columns of an insert.
  fileprivate func insertion(_ onConflict: OnConflict?) -> SQLWriter {
    var writer = SQLWriter(capacity: 160)
    writeCommonTables(to: &writer)
    writer.writeInsertion(into: source.qualifiedName, onConflict)
    return writer
  }

  /// Which rows are changed. Without a limit an order means nothing, and SQLite refuses it.
  fileprivate func writeChoice(to writer: inout SQLWriter) {
    writeFilter(to: &writer)
    guard limit != nil else { return }
    writeOrder(to: &writer)
    writeLimit(to: &writer)
  }
}

extension Setter {
  /// The column, set to what the insert wanted to write there.
  fileprivate var excluded: Setter {
    Setter(column, SQLExpression<Void>("\("excluded".quote()).\(column.template)", column.bindings))
  }
}

extension SQLWriter {
  /// The columns and the values of rows: ` ("a", "b") VALUES (1, 2), (3, NULL)`.
  fileprivate mutating func writeRows(_ rows: [[Setter]]) {
    guard let first = rows.first else { return write(" DEFAULT VALUES") }
    if rows.count == 1, !first.isEmpty { return writeRow(first) }
    var columns: [SQLExpression<Void>] = []
    var indexes: [String: Int] = [:]
    for setter in rows.joined() where indexes[setter.column.template] == nil {
      indexes[setter.column.template] = columns.count
      columns.append(setter.column)
    }
    if columns.isEmpty { return write(" DEFAULT VALUES") }
    write(" (")
    writeList(columns)
    write(") VALUES ")
    for (index, row) in rows.enumerated() {
      var values = Array(repeating: SQLExpression<Void>("?", [nil]), count: columns.count)
      for setter in row { if let index = indexes[setter.column.template] { values[index] = setter.value } }
      write(index == 0 ? "(" : ", (")
      writeList(values)
      write(")")
    }
  }

  mutating func writeInsertion(into table: String, _ onConflict: OnConflict?) {
    write("INSERT ")
    if let onConflict { write("OR \(onConflict.rawValue) ") }
    write("INTO ")
    write(table)
  }

  mutating func writeRow(_ row: [Setter]) {
    write(" (")
    for (index, setter) in row.enumerated() {
      if index > 0 { write(", ") }
      write(setter.column)
    }
    write(") VALUES (")
    for (index, setter) in row.enumerated() {
      if index > 0 { write(", ") }
      write(setter.content)
    }
    write(")")
  }
}
