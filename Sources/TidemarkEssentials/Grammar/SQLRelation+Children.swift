// Associated relations. A relation is merged with the associated relation that has the same key.

extension SQLRelation {
  /// Adds a child after the others. It is merged with the child that has the same key, if there is one.
  mutating func add(_ child: SQLRelationChild) {
    guard let index = children.firstIndex(where: { $0.key == child.key }) else {
      children.append(child)
      return
    }
    let other = children.remove(at: index)
    guard let merged = other.merged(with: child) else {
      preconditionFailure(
        """
        The association key "\(child.key)" is ambiguous. Two associations of the request have it: give one of them \
        another key with Association.forKey(_:).
        """)
    }
    children.append(merged)
  }

  /// The same relation, from which nothing is selected.
  var withoutSelection: SQLRelation {
    var relation = self
    relation.selection = []
    return relation
  }

  /// The same relation with its joins, from which nothing is selected, and without prefetched rows.
  var joiningOnly: SQLRelation {
    var relation = withoutSelection
    relation.children = children.compactMap { child in
      guard child.kind.isJoined else { return nil }
      var child = child
      child.relation = child.relation.joiningOnly
      return child
    }
    return relation
  }

  /// The same relation without the selections of its joined tables.
  var selectingItsOwnColumns: SQLRelation {
    var relation = joiningOnly
    relation.selection = selection
    return relation
  }

  /// Whether the relation is joined with others.
  var isJoined: Bool { children.contains { $0.kind.isJoined } }

  // MARK: Orders of all joined tables

  /// Reverses the order.
  mutating func reverse() {
    for index in ordering.indices { ordering[index].isReversed.toggle() }
    forEachJoinedChild { $0.reverse() }
  }

  /// Removes the order.
  mutating func removeOrder() {
    ordering = []
    forEachJoinedChild { $0.removeOrder() }
  }

  mutating func forEachJoinedChild(_ change: (inout SQLRelation) -> Void) {
    for index in children.indices where children[index].kind.isJoined { change(&children[index].relation) }
  }
}

// MARK: - Merging

extension SQLRelationChild {
  /// Returns a child that stands for both, or nil if they differ in table, condition or use.
  fileprivate func merged(with other: SQLRelationChild) -> SQLRelationChild? {
    guard let kind = kind.merged(with: other.kind), let condition = condition.merged(with: other.condition),
      let relation = relation.merged(with: other.relation)
    else { return nil }
    return SQLRelationChild(key: key, kind: kind, condition: condition, relation: relation)
  }
}

extension SQLRelationChild.Kind {
  fileprivate func merged(with other: Self) -> Self? {
    switch (self, other) {
    case (.required, .required), (.required, .optional), (.optional, .required): return .required
    case (.required, .bridge), (.bridge, .required): return .required
    case (.optional, .optional), (.optional, .bridge), (.bridge, .optional): return .optional
    case (.all, .all): return .all
    case (.bridge, .bridge): return .bridge
    case (.all, .bridge), (.bridge, .all):
      preconditionFailure(
        """
        Not implemented: merging a direct association and an indirect one with including(all:). Give one of them \
        another key with Association.forKey(_:).
        """)
    case (.all, .required), (.all, .optional), (.required, .all), (.optional, .all): return nil
    }
  }
}

extension SQLJoinCondition {
  fileprivate func merged(with other: SQLJoinCondition) -> SQLJoinCondition? {
    switch (self, other) {
    case (.columns(let columns), .columns(let others)):
      columns.foreignKey == others.foreignKey && columns.originIsLeft == others.originIsLeft ? other : nil
    // Closures cannot be compared: the condition that was added last applies.
    case (.expression, .expression): other
    case (.columns, .expression), (.expression, .columns): nil
    }
  }
}

extension SQLTable {
  fileprivate func merged(with other: SQLTable) -> SQLTable? {
    guard tableName == other.tableName else { return nil }
    var table = self
    for alias in other.aliases where !table.hasAlias(alias) {
      if let name = alias.userName, let userName = table.userName, name != userName { return nil }
      table = table.aliasedByProgram(alias)
    }
    table.commonTable = other.commonTable ?? commonTable
    return table
  }
}

extension SQLRelation {
  fileprivate func merged(with other: SQLRelation) -> SQLRelation? {
    guard let source = source.merged(with: other.source) else { return nil }
    var merged = self
    merged.source = source
    merged.isDistinct = isDistinct || other.isDistinct
    for table in other.commonTables { merged.commonTables.define(table) }
    merged.selection = [
      { db, _ in
        let selection = try other.resolvedSelection(db)
        return selection.isEmpty ? try self.resolvedSelection(db) : selection
      }
    ]
    merged.filters += other.filters
    merged.grouping = other.grouping ?? grouping
    merged.havings += other.havings
    if !other.ordering.isEmpty { merged.ordering = other.ordering }
    merged.limit = other.limit ?? limit
    for child in other.children { merged.add(child) }
    return merged
  }

}
