/// What determines the SQL of a query: everything but its values, as bytes.
///
/// Queries of the same shape have the same SQL, so that it is printed once per connection (see `QueryTexts`). Creating
/// a shape takes a ninth of the instructions of printing (benchmark `look up: filter { }.fetchOne(db)`). See
/// Documentation/Decisions/QueriesOfAShapeShareTheirSQL.md.
///
/// Invariants:
///
/// 1. Equal bytes mean equal SQL: each part begins with a byte for its kind, and each list with its length. A name ends
///    with a byte that UTF-8 never contains.
/// 2. The values are in the order in which the printer binds them. NULL is written as text, and belongs to the shape.
/// 3. An alias is written as the position of its table in the query. The names that the printer gives to the tables
///    follow from the names of all tables.
/// 4. A query has no shape if its SQL depends on anything else: on tables outside of the query, on raw SQL, or on the
///    schema.
struct QueryShape {
  private(set) var bytes: [UInt8] = []
  private(set) var values = PackedValues()

  /// The aliases of the tables, and the positions of the tables.
  private var aliases: [(alias: ObjectIdentifier, table: UInt8)] = []

  /// Takes the shape of a query. The memory of the last one is used again.
  ///
  /// - Returns: False if the query has no shape.
  mutating func take(from query: SQLQuery) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    values = PackedValues()
    aliases.removeAll(keepingCapacity: true)
    guard query.commonTables.isEmpty, addTables(of: query) else { return false }
    bytes.append(query.isDistinct ? 1 : 0)
    guard add(query.selection, { $0.add($1) }) else { return false }
    for join in query.joins where !add(join.selection, { $0.add($1) }) { return false }
    for join in query.joins where !add(join.condition) { return false }
    guard add(query.filter), add(query.grouping, { $0.add($1) }), add(query.having) else { return false }
    guard add(query.ordering, { $0.add($1) }) else { return false }
    add(query.limit)
    return true
  }

  /// Adds what else determines the SQL.
  mutating func add(_ byte: UInt8) { bytes.append(byte) }

  private mutating func add(name: String) {
    bytes.append(contentsOf: name.utf8)
    bytes.append(0xFF)
  }

  private mutating func add(_ integer: Int) {
    withUnsafeBytes(of: integer) { bytes.append(contentsOf: $0) }
  }

  // MARK: Tables

  private mutating func addTables(of query: SQLQuery) -> Bool {
    guard add(query.source, at: 0), let joinCount = UInt8(exactly: query.joins.count), joinCount < .max else {
      return false
    }
    bytes.append(joinCount)
    for (index, join) in query.joins.enumerated() {
      add(name: join.key)
      add(join.parent ?? -1)
      bytes.append(join.isOptional ? 1 : 0)
      guard add(join.source, at: UInt8(index + 1)) else { return false }
    }
    return true
  }

  private mutating func add(_ table: SQLTable, at position: UInt8) -> Bool {
    if table.commonTable != nil { return false }
    add(name: table.tableName)
    bytes.append(table.userName == nil ? 0 : 1)
    if let name = table.userName { add(name: name) }
    for alias in table.aliases {
      let alias = ObjectIdentifier(alias)
      // The printer traps if an alias is used for several tables.
      for known in aliases where known.alias == alias && known.table != position { return false }
      aliases.append((alias, position))
    }
    return true
  }

  private mutating func add(_ alias: TableAliasBase) -> Bool {
    let alias = ObjectIdentifier(alias)
    for known in aliases where known.alias == alias {
      bytes.append(known.table)
      return true
    }
    return false
  }

  // MARK: Clauses

  @inline(__always)
  private mutating func add<Part>(_ parts: [Part], _ add: (inout QueryShape, Part) -> Bool) -> Bool {
    guard let count = UInt8(exactly: parts.count) else { return false }
    bytes.append(count)
    for part in parts where !add(&self, part) { return false }
    return true
  }

  private mutating func add(_ limit: SQLLimit?) {
    guard let limit else { return bytes.append(0) }
    bytes.append(limit.offset == nil ? 1 : 2)
    add(limit.count)
    if let offset = limit.offset { add(offset) }
  }

  private mutating func add(_ selection: SQLSelection) -> Bool {
    switch selection.node {
    case .allColumns(let alias):
      bytes.append(alias == nil ? 0 : 3)
      return alias.map { add($0) } ?? true
    case .expression(let expression, let name):
      bytes.append(name == nil ? 1 : 2)
      if let name { add(name: name) }
      return add(expression)
    case .literal, .deferred: return false
    }
  }

  private mutating func add(_ ordering: SQLOrdering) -> Bool {
    guard case .expression(let expression, let direction) = ordering.node else { return false }
    add(name: direction?.rawValue ?? "")
    return add(expression)
  }

  // MARK: Expressions

  private mutating func add(_ expression: SQLExpression?) -> Bool {
    guard let expression else {
      bytes.append(0)
      return true
    }
    return add(expression)
  }

  private mutating func add(_ expression: SQLExpression) -> Bool {
    switch expression.node {
    case .value(let value):
      if value.isNull {
        bytes.append(1)
      } else {
        bytes.append(2)
        values.append(value)
      }
      return true
    case .column(let name, let owner):
      return add(column: name, of: owner)
    case .operation(let operation, let operands):
      return add(operation) && add(operands) { $0.add($1) }
    case .literal, .subquery, .deferred, .table: return false
    }
  }

  private mutating func add(column name: String, of owner: SQLColumnOwner) -> Bool {
    switch owner {
    case .currentRelation: add(3, name)
    case .unnamed: add(4, name)
    case .alias(let alias):
      add(5, name)
      return add(alias)
    }
    return true
  }

  private mutating func add(_ operation: SQLOperation) -> Bool {
    switch operation {
    case .not: bytes.append(10)
    case .negative: bytes.append(11)
    case .complement: bytes.append(12)
    case .binary(let sqlOperator): add(13, sqlOperator.rawValue)
    case .chain(let sqlOperator): add(14, sqlOperator.sql)
    case .between(let isNegated): bytes.append(isNegated ? 15 : 16)
    case .isOneOf(let isNegated): bytes.append(isNegated ? 17 : 18)
    case .like(let isNegated): bytes.append(isNegated ? 19 : 20)
    case .cast(let type): add(21, type.rawValue)
    case .collated(let name): add(22, name)
    case .function(let name, let isAggregate): add(isAggregate ? 23 : 24, name)
    case .countAll: bytes.append(25)
    case .countDistinct: bytes.append(26)
    case .filtered: bytes.append(27)
    case .countIsZero(let isNegated): bytes.append(isNegated ? 28 : 29)
    case .rowValue: bytes.append(30)
    case .rowExists(let isNegated): bytes.append(isNegated ? 31 : 32)
    case .isFound, .isInTable, .exists: return false
    }
    return true
  }

  private mutating func add(_ kind: UInt8, _ name: String) {
    bytes.append(kind)
    add(name: name)
  }
}
