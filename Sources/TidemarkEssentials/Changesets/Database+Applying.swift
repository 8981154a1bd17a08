/// Whether the triggers of a database are executed for the rows of an applied changeset.
public enum ChangesetTriggers: Sendable, Hashable {
  /// Triggers are not executed: the changeset contains their changes.
  case skip

  /// Triggers are executed, in addition to the changes of the changeset.
  case fire
}

/// Whether the foreign keys of an applied changeset are checked.
///
/// Foreign key actions, such as `ON DELETE CASCADE`, are never executed: the changeset contains their changes.
public enum ChangesetForeignKeys: Sendable, Hashable {
  /// After all changes, no changed row may violate a foreign key, if the connection enforces foreign keys.
  case check

  /// Foreign keys are not checked.
  case ignore
}

/// Whether the schema changes of a changeset are applied.
public enum ChangesetSchemaChanges: Sendable, Hashable {
  /// A changeset with schema changes is refused.
  case refuse

  /// The SQL of schema changes is executed. Do not apply changesets of unknown origin this way: their SQL can change
  /// anything.
  case execute
}

extension Database {
  /// Applies changes.
  ///
  /// ```swift
  /// try destination.write { db in
  ///   _ = try db.apply(changes)
  /// }
  /// ```
  ///
  /// The changes are applied in a savepoint, or in a transaction if none is open: all of them, or none. Before they are
  /// applied, they are merged (``Changeset/net``): only the states before and after them matter.
  ///
  /// The tables must exist, and have all columns of the changes; they may have others. Columns are found by their
  /// names. A row is found by the primary key of its table, or by its row ID if the table has none. Values that must be
  /// unique may be exchanged between rows.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - triggers: Whether triggers are executed. By default, they are not. SQLite always executes temporary triggers:
  ///     an error is thrown if a changed table has one.
  ///   - foreignKeys: Whether foreign keys are checked after all changes. By default, they are.
  ///   - schemaChanges: Whether schema changes are applied. By default, they are refused.
  ///   - resolution: What happens to changes that conflict. By default, the first conflict is thrown. If foreign keys
  ///     are violated, the conflict is thrown in any case.
  /// - Returns: The changes that were skipped.
  /// - Throws: A ``ChangesetConflict``, a ``ChangesetError`` if the changeset does not fit the database, or a
  ///   ``DatabaseError``. The database is unchanged then.
  @discardableResult
  public func apply(
    _ changes: Changeset, triggers: ChangesetTriggers = .skip, foreignKeys: ChangesetForeignKeys = .check,
    schemaChanges: ChangesetSchemaChanges = .refuse, onConflict resolution: ChangesetConflict.Resolution = .abort
  ) throws -> [ChangedRow] {
    try apply(changes, triggers: triggers, foreignKeys: foreignKeys, schemaChanges: schemaChanges) { conflict in
      conflict.kind == .foreignKey ? .abort : resolution
    }
  }

  /// Applies changes, and asks what happens to each change that conflicts.
  ///
  /// ```swift
  /// try db.apply(changes) { conflict in
  ///   // The row with the higher score wins.
  ///   let own: Int = conflict.currentRow?["score"] ?? 0
  ///   let other: Int = conflict.change?.newRow?["score"] ?? 0
  ///   return conflict.kind == .rowDiffers && own < other ? .replace : .skip
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - triggers: Whether triggers are executed.
  ///   - foreignKeys: Whether foreign keys are checked after all changes.
  ///   - schemaChanges: Whether schema changes are applied.
  ///   - resolve: Returns the resolution of a conflict. It may read the database.
  /// - Returns: The changes that were skipped.
  /// - Throws: A ``ChangesetConflict``, the error of the closure, a ``ChangesetError`` if the changeset does not fit
  ///   the database, or a ``DatabaseError``. The database is unchanged then.
  @discardableResult
  public func apply(
    _ changes: Changeset, triggers: ChangesetTriggers = .skip, foreignKeys: ChangesetForeignKeys = .check,
    schemaChanges: ChangesetSchemaChanges = .refuse,
    onConflict resolve: (ChangesetConflict) throws -> ChangesetConflict.Resolution
  ) throws -> [ChangedRow] {
    preconditionAccess()
    if schemaChanges == .refuse, changes.hasSchemaChanges {
      throw ChangesetError(
        .schemaChange, "the changeset changes the schema: allow it with schemaChanges: .execute, or filter tables")
    }
    var skipped: [ChangedRow] = []
    try inSavepoint {
      let checksForeignKeys = try willApply(foreignKeys)
      try withoutForeignKeyActions(skippingTriggers: triggers == .skip) {
        skipped = try withoutActuallyEscaping(resolve) { resolve in
          var application = ChangesetApplication(
            self, triggers: triggers, checksForeignKeys: checksForeignKeys, resolve: resolve)
          try application.apply(changes)
          return application.skipped
        }
      }
      return .commit
    }
    return skipped
  }

  /// - Returns: Whether foreign keys are checked.
  private func willApply(_ foreignKeys: ChangesetForeignKeys) throws -> Bool {
    let handle = try openHandle()
    guard try handle.isOn(.foreignKeys) else { return false }
    // While foreign keys are not enforced, SQLite does not notice that a violation is resolved.
    if handle.hasUnresolvedForeignKeys {
      throw ChangesetError(
        .connectionState,
        "the transaction violates deferred foreign keys: resolve the violations before applying a changeset")
    }
    return foreignKeys == .check
  }

  /// Runs a closure without foreign key actions, and perhaps without triggers.
  ///
  /// `PRAGMA foreign_keys` has no effect in a transaction, the options of the connection do.
  private func withoutForeignKeyActions(skippingTriggers: Bool, _ body: () throws -> Void) throws {
    try withoutOptions([.foreignKeys] + (skippingTriggers ? [.triggers] : []), body)
  }

  /// Runs a closure without some options of the connection. Those that were on are turned on again afterwards.
  func withoutOptions(_ options: [ConnectionHandle.Option], _ body: () throws -> Void) throws {
    let handle = try openHandle()
    let enabled = try options.filter { try handle.isOn($0) }
    var changed: [ConnectionHandle.Option] = []
    defer {
      for option in changed {
        do {
          // The connection may have been closed by an error.
          try self.handle?.set(option, true)
        } catch {
          Self.log(error, "Could not restore an option of the connection after applying a changeset")
        }
      }
    }
    for option in enabled {
      try handle.set(option, false)
      changed.append(option)
    }
    try body()
  }
}
