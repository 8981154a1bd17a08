/// The definition of columns that refer to another table. See `TableDefinition.belongsTo(_:inTable:…)`.
///
/// ```swift
/// t.belongsTo("team").notNull()
/// ```
public final class ForeignKeyDefinition {
  private let name: String
  private let table: String?
  private let deleteAction: Database.ForeignKeyAction?
  private let updateAction: Database.ForeignKeyAction?
  private let isDeferred: Bool
  private var isIndexed: Bool
  private var isUnique = false
  private var isNotNull = false
  private var notNullConflict: Database.ConflictResolution?

  init(
    _ name: String, inTable table: String?, onDelete deleteAction: Database.ForeignKeyAction?,
    onUpdate updateAction: Database.ForeignKeyAction?, deferred isDeferred: Bool, indexed isIndexed: Bool
  ) {
    self.name = name
    self.table = table
    self.deleteAction = deleteAction
    self.updateAction = updateAction
    self.isDeferred = isDeferred
    self.isIndexed = isIndexed
  }

  /// Adds a `NOT NULL` constraint to the columns.
  @discardableResult
  public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
    isNotNull = true
    notNullConflict = onConflict
    return self
  }

  /// Adds a `UNIQUE` constraint to the columns.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }

  /// Makes the columns a part of the primary key, whose index they use.
  func becomePartOfPrimaryKey() {
    isIndexed = false
    isNotNull = true
  }

  // MARK: - SQL

  /// The columns and constraints of a definition, which depend on the referenced table.
  struct Expansion {
    var columns: [ColumnDefinition]

    /// The constraint, if there are several columns.
    var constraint: (columns: [String], foreignKey: ForeignKeyConstraint)?

    /// The options of an index on several columns.
    var indexOptions: IndexOptions?
  }

  func expanded(in context: TableContext) throws -> Expansion {
    let table = try tableName(in: context)
    let key = try context.primaryKey(of: table)
    let foreignKey = ForeignKeyConstraint(
      table: table, columns: key.columns, deleteAction: deleteAction, updateAction: updateAction, isDeferred: isDeferred
    )
    let columns = zip(key.columns, key.types).map { column, type in
      let column = ColumnDefinition(name + (key.isHiddenRowID ? "Id" : column.uppercasingFirst), type)
      return isNotNull ? column.notNull(onConflict: notNullConflict) : column
    }
    if columns.count == 1 {
      if isUnique { columns[0].unique() } else if isIndexed { columns[0].indexed() }
      return Expansion(columns: [columns[0].references(foreignKey)])
    }
    let indexOptions: IndexOptions? = isUnique ? .unique : isIndexed ? [] : nil
    return Expansion(columns: columns, constraint: (columns.map(\.name), foreignKey), indexOptions: indexOptions)
  }

  /// Returns the name of the referenced table, in the spelling of the program: the given name, the name of the table
  /// being defined, or the name of the association or its plural.
  ///
  /// - Throws: A "no such table" error if the table does not exist.
  private func tableName(in context: TableContext) throws -> String {
    if let table {
      if !context.isDefined(table) { _ = try context.db.existingTable(table) }
      return table
    }
    let inflections = Inflections.default
    func singular(_ name: String) -> String { inflections.singularize(name).asciiLowercased }
    if context.key != nil, singular(context.tableName) == singular(name) { return context.tableName }
    for candidate in [name, inflections.pluralize(name)] where try context.db.catalogTable(candidate) != nil {
      return candidate
    }
    throw DatabaseError.noSuchTable(name)
  }
}

extension String {
  /// The text with its first letter in uppercase.
  fileprivate var uppercasingFirst: String { prefix(1).uppercased() + dropFirst() }
}
