/// The resolution of a conflict between an inserted row and an existing row.
public enum OnConflict: String, Sendable, Hashable {
  /// The existing row is deleted.
  case replace = "REPLACE"

  /// The transaction is rolled back.
  case rollback = "ROLLBACK"

  /// The changes of the statement are rolled back. This is the default.
  case abort = "ABORT"

  /// The statement stops, and its earlier changes are kept.
  case fail = "FAIL"

  /// The new row is skipped.
  case ignore = "IGNORE"
}

extension QueryType {
  // MARK: Inserts

  /// Returns an insertion of a row: `INSERT INTO "users" ("email") VALUES ('alice@mac.com')`.
  ///
  /// ```swift
  /// let rowid = try db.run(users.insert(email <- "alice@mac.com", name <- "Alice"))
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value of a column.
  ///   - more: The values of further columns.
  /// - Returns: The statement.
  public func insert(_ value: Setter, _ more: Setter...) -> Insert {
    if let row = InsertedRow(clauses, nil, value, more) { return Insert(row) }
    return insert([value] + more)
  }

  /// Returns an insertion of a row.
  ///
  /// ```swift
  /// let values = [email <- "alice@mac.com", name <- "Alice"]
  /// try db.run(users.insert(values))
  /// ```
  ///
  /// - Parameter values: The values of the columns.
  /// - Returns: The statement.
  public func insert(_ values: [Setter]) -> Insert { inserting(nil, [values]) }

  /// Returns an insertion of a row with a conflict resolution: `INSERT OR REPLACE INTO "users" …`.
  ///
  /// ```swift
  /// try db.run(users.insert(or: .replace, id <- 1, email <- "alice@mac.com"))
  /// ```
  ///
  /// - Parameters:
  ///   - onConflict: The resolution of a conflict with an existing row.
  ///   - values: The values of the columns.
  /// - Returns: The statement.
  public func insert(or onConflict: OnConflict, _ values: Setter...) -> Insert { insert(or: onConflict, values) }

  /// Returns an insertion of a row with a conflict resolution: `INSERT OR REPLACE INTO "users" …`.
  ///
  /// ```swift
  /// let values = [email <- "alice@mac.com", name <- "Alice"]
  /// try db.run(users.insert(or: .ignore, values))
  /// ```
  ///
  /// - Parameters:
  ///   - onConflict: The resolution of a conflict with an existing row.
  ///   - values: The values of the columns.
  /// - Returns: The statement.
  public func insert(or onConflict: OnConflict, _ values: [Setter]) -> Insert { inserting(onConflict, [values]) }

  /// Returns an insertion of a row of default values: `INSERT INTO "timestamps" DEFAULT VALUES`.
  ///
  /// ```swift
  /// try db.run(Table("timestamps").insert())
  /// ```
  ///
  /// - Returns: The statement.
  public func insert() -> Insert { inserting(nil, []) }

  /// Returns an insertion of several rows: `INSERT INTO "users" ("email") VALUES ('alice@mac.com'), ('geoff@mac.com')`.
  ///
  /// The rows may have different columns, in any order. Columns without a value are NULL.
  ///
  /// ```swift
  /// let rows = ["alice@mac.com", "geoff@mac.com"].map { [email <- $0] }
  /// try db.run(users.insertMany(rows))
  /// ```
  ///
  /// - Parameter values: The values of the columns, for each row.
  /// - Returns: The statement.
  public func insertMany(_ values: [[Setter]]) -> Insert { inserting(nil, values) }

  /// Returns an insertion of several rows.
  ///
  /// ```swift
  /// try db.run(users.insertMany([email <- "alice@mac.com"], [email <- "geoff@mac.com"]))
  /// ```
  ///
  /// - Parameter values: The values of the columns, for each row.
  /// - Returns: The statement.
  @_disfavoredOverload
  public func insertMany(_ values: [Setter]...) -> Insert { inserting(nil, values) }

  /// Returns an insertion of several rows with a conflict resolution.
  ///
  /// ```swift
  /// let rows = ["alice@mac.com", "geoff@mac.com"].map { [email <- $0] }
  /// try db.run(users.insertMany(or: .ignore, rows))
  /// ```
  ///
  /// - Parameters:
  ///   - onConflict: The resolution of a conflict with an existing row.
  ///   - values: The values of the columns, for each row.
  /// - Returns: The statement.
  public func insertMany(or onConflict: OnConflict, _ values: [[Setter]]) -> Insert { inserting(onConflict, values) }

  /// Returns an insertion of several rows with a conflict resolution.
  ///
  /// ```swift
  /// try db.run(users.insertMany(or: .ignore, [email <- "alice@mac.com"], [email <- "geoff@mac.com"]))
  /// ```
  ///
  /// - Parameters:
  ///   - onConflict: The resolution of a conflict with an existing row.
  ///   - values: The values of the columns, for each row.
  /// - Returns: The statement.
  @_disfavoredOverload
  public func insertMany(or onConflict: OnConflict, _ values: [Setter]...) -> Insert { inserting(onConflict, values) }

  /// Returns an insertion of the rows of a query: `INSERT INTO "archive" SELECT …`.
  ///
  /// ```swift
  /// try db.run(Table("archive").insert(users.filter(!verified)))
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: The statement.
  public func insert(_ query: any QueryType) -> Update {
    var writer = clauses.insertion(nil)
    writer.write(" ")
    writer.write(query.expression)
    return Update(writer.template, writer.bindings)
  }

  private func inserting(_ onConflict: OnConflict?, _ rows: [[Setter]]) -> Insert {
    if rows.count == 1, let row = InsertedRow(clauses, onConflict, nil, rows[0]) { return Insert(row) }
    return Insert(insertionText(onConflict, rows))
  }

  private func insertionText(_ onConflict: OnConflict?, _ rows: [[Setter]]) -> SQLExpression<Void> {
    var writer = clauses.insertion(onConflict)
    writer.writeRows(rows)
    return writer.expression()
  }

  // MARK: Upserts

  /// Returns an insertion of a row that updates an existing row on conflict: `INSERT … ON CONFLICT ("email") DO UPDATE
  /// SET …`.
  ///
  /// ```swift
  /// try db.run(users.upsert(email <- "alice@mac.com", name <- "Alice", onConflictOf: email))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns.
  ///   - conflicting: The column with a uniqueness constraint. The form with an array takes several columns.
  /// - Returns: The statement.
  public func upsert(_ insertValues: Setter..., onConflictOf conflicting: any Expressible) -> Insert {
    upsert(insertValues, onConflictOf: conflicting)
  }

  /// Returns an insertion of a row that updates an existing row on conflict.
  ///
  /// ```swift
  /// let values = [email <- "alice@mac.com", name <- "Alice"]
  /// try db.run(users.upsert(values, onConflictOf: email))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns.
  ///   - conflicting: The column with a uniqueness constraint.
  /// - Returns: The statement.
  public func upsert(_ insertValues: [Setter], onConflictOf conflicting: any Expressible) -> Insert {
    upsert(insertValues, onConflictOf: [conflicting])
  }

  /// Returns an insertion of a row that sets columns of an existing row on conflict.
  ///
  /// ```swift
  /// try db.run(users.upsert(email <- "alice@mac.com", logins <- 1, onConflictOf: email, set: [logins++]))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns of a new row.
  ///   - conflicting: The column with a uniqueness constraint.
  ///   - setValues: The values of the columns of an existing row.
  /// - Returns: The statement.
  public func upsert(
    _ insertValues: Setter..., onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    upsert(insertValues, onConflictOf: conflicting, set: setValues)
  }

  /// Returns an insertion of a row that sets columns of an existing row on conflict.
  ///
  /// ```swift
  /// let values = [email <- "alice@mac.com", logins <- 1]
  /// try db.run(users.upsert(values, onConflictOf: email, set: [logins++]))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns of a new row.
  ///   - conflicting: The column with a uniqueness constraint.
  ///   - setValues: The values of the columns of an existing row.
  /// - Returns: The statement.
  public func upsert(
    _ insertValues: [Setter], onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    upsert(insertValues, onConflictOf: [conflicting], set: setValues)
  }

  /// Returns an insertion of a row that updates an existing row with the same key: `ON CONFLICT ("user_id", "title")`.
  ///
  /// ```swift
  /// try db.run(posts.upsert(userId <- 1, title <- "x", score <- 5, onConflictOf: [userId, title]))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns.
  ///   - conflicting: The columns of the uniqueness constraint.
  /// - Returns: The statement.
  public func upsert(_ insertValues: Setter..., onConflictOf conflicting: [any Expressible]) -> Insert {
    upsert(insertValues, onConflictOf: conflicting)
  }

  /// Returns an insertion of a row that updates an existing row with the same key: `ON CONFLICT ("user_id", "title")`.
  ///
  /// ```swift
  /// let values = [userId <- 1, title <- "x", score <- 5]
  /// try db.run(posts.upsert(values, onConflictOf: [userId, title]))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns.
  ///   - conflicting: The columns of the uniqueness constraint.
  /// - Returns: The statement.
  public func upsert(_ insertValues: [Setter], onConflictOf conflicting: [any Expressible]) -> Insert {
    let keys = Set(conflicting.map { ColumnName(text: $0.expression.template) })
    let updates = insertValues.filter { !keys.contains(ColumnName(text: $0.column.template)) }
    return upsert(insertValues, onConflictOf: conflicting, set: updates.map(\.excluded))
  }

  /// Returns an insertion of a row that sets columns of an existing row with the same key.
  ///
  /// ```swift
  /// let values = [userId <- 1, title <- "x", score <- 5]
  /// try db.run(posts.upsert(values, onConflictOf: [userId, title], set: [score += 5]))
  /// ```
  ///
  /// - Parameters:
  ///   - insertValues: The values of the columns of a new row.
  ///   - conflicting: The columns of the uniqueness constraint.
  ///   - setValues: The values of the columns of an existing row. Without any, the existing row is unchanged.
  /// - Returns: The statement.
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

  /// Returns an update of the rows of the query: `UPDATE "users" SET "email" = 'alice@me.com' WHERE ("id" = 1)`.
  ///
  /// ```swift
  /// let count = try db.run(users.filter(id == 1).update(email <- "alice@me.com", logins++))
  /// ```
  ///
  /// - Parameter values: The values of the columns.
  /// - Returns: The statement.
  public func update(_ values: Setter...) -> Update { update(values) }

  /// Returns an update of the rows of the query.
  ///
  /// ```swift
  /// let values = [email <- "alice@me.com", name <- nil]
  /// try db.run(users.filter(id == 1).update(values))
  /// ```
  ///
  /// - Parameter values: The values of the columns.
  /// - Returns: The statement.
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

  /// Returns a deletion of the rows of the query: `DELETE FROM "users" WHERE ("id" = 1)`.
  ///
  /// ```swift
  /// let count = try db.run(users.filter(id == 1).delete())
  /// ```
  ///
  /// - Returns: The statement.
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
  /// Writes an insertion up to the table name.
  fileprivate func insertion(_ onConflict: OnConflict?) -> SQLWriter {
    var writer = SQLWriter(capacity: 160)
    writeCommonTables(to: &writer)
    writer.writeInsertion(into: source.qualifiedName, onConflict)
    return writer
  }

  /// Writes the clauses that select the rows to change. SQLite rejects an order without a limit.
  fileprivate func writeChoice(to writer: inout SQLWriter) {
    writeFilter(to: &writer)
    guard limit != nil else { return }
    writeOrder(to: &writer)
    writeLimit(to: &writer)
  }
}

extension Setter {
  /// Sets the column to the value that the insertion would have written: `"name" = "excluded"."name"`.
  fileprivate var excluded: Setter {
    Setter(column, SQLExpression<Void>("\("excluded".quote()).\(column.template)", column.bindings))
  }
}

extension SQLWriter {
  /// Writes the columns and the values of rows: `("a", "b") VALUES (1, 2), (3, NULL)`.
  fileprivate mutating func writeRows(_ rows: [[Setter]]) {
    guard let first = rows.first else { return write(" DEFAULT VALUES") }
    if rows.count == 1, !first.isEmpty { return writeRow(first) }
    var columns: [SQLExpression<Void>] = []
    var indexes: [ColumnName: Int] = [:]
    for setter in rows.joined() where indexes[ColumnName(text: setter.column.template)] == nil {
      indexes[ColumnName(text: setter.column.template)] = columns.count
      columns.append(setter.column)
    }
    if columns.isEmpty { return write(" DEFAULT VALUES") }
    write(" (")
    writeList(columns)
    write(") VALUES ")
    for (index, row) in rows.enumerated() {
      var values = Array(repeating: SQLExpression<Void>("?", [nil]), count: columns.count)
      for setter in row {
        if let index = indexes[ColumnName(text: setter.column.template)] { values[index] = setter.value }
      }
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

  private mutating func writeRow(_ row: [Setter]) {
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
