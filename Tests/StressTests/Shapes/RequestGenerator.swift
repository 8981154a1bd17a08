import Tidemark

/// Composes random requests of the query interface on the tables of a schema.
struct RequestGenerator {
  private let choices: RandomChoices
  private let tables: [ShapeTable]

  /// The shapes of the composed request, the tables that it reads, and the calls that build it.
  private var shapes: Set<Shape> = [.request]
  private var readTables: [String] = []
  private var words = ""
  private var nameCount = 0

  /// - Parameter tables: The tables and views. The query interface does not name their databases.
  init(_ choices: RandomChoices, tables: [ShapeTable]) {
    self.choices = choices
    self.tables = tables.filter { $0.schema.isEmpty && !$0.columns.isEmpty }
  }

  mutating func makeQuery() -> ShapeQuery {
    (shapes, readTables, words) = ([.request], [], "")
    let table = choices.pick(tables)
    read(table)
    words = "Table(\"\(table.name)\")"
    var request = narrowed(withKeys(Table(table.name).all(), table), table)
    if choices.chance(20) { request = withCommonTable(request, table) }
    var isGrouped = false
    switch choices.below(20) {
    case 0..<3: (request, isGrouped) = (grouped(request, table), true)
    case 3..<12:
      for _ in 0..<1 + choices.below(2) { request = associated(request, table) }
    case 12: request = aggregatingAssociation(request, table)
    default: break
    }
    if !isGrouped, choices.chance(8) {
      shapes.insert(.distinct)
      words += ".distinct()"
      request = request.distinct()
    }
    if !isGrouped, choices.chance(15) { request = limited(request, table) }
    var query = ShapeQuery(sql: words, arguments: [], shapes: shapes, tables: readTables, isOrdered: false)
    query.composed = request
    if choices.chance(12) {
      query.countsRows = true
      query.shapes.insert(.requestCount)
    }
    return query
  }

  private mutating func newName() -> String {
    nameCount += 1
    return "k\(nameCount)"
  }

  private mutating func read(_ table: ShapeTable) {
    if !readTables.contains(table.sql) { readTables.append(table.sql) }
    shapes.formUnion(table.shapes)
  }

  private mutating func add(_ shape: Shape?, _ words: String) {
    if let shape { shapes.insert(shape) }
    self.words += words
  }

  // MARK: - Conditions, orders and columns

  /// Selects rows by their primary keys, or by their row IDs.
  private mutating func withKeys(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    guard table.kind == .table, choices.chance(10) else { return request }
    let keys = (0..<1 + choices.below(3)).map { _ in choices.below(12) }
    if table.key.count > 1 {
      add(.requestOfKeys, ".filter(keys: \(keys) of \(table.key))")
      return request.filter(keys: keys.map { key in Dictionary(uniqueKeysWithValues: table.key.map { ($0, key) }) })
    }
    guard table.key.count == 1 || !table.columns.contains(where: \.hidesRowID) else { return request }
    if keys.count == 1 {
      add(.requestOfKeys, ".filter(key: \(keys[0]))")
      return request.filter(key: keys[0])
    }
    add(.requestOfKeys, ".filter(keys: \(keys))")
    return request.filter(keys: keys)
  }

  /// Selects the first rows, in an order that depends on all columns of the table.
  private mutating func limited(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    let names = table.columns.map(\.name)
    let (count, offset) = (1 + choices.below(4), choices.below(3))
    add(.requestLimit, ".order(\(names.joined(separator: ", "))).limit(\(count)")
    let ordered = request.order(names.map { Column($0).collating(.binary) })
    if offset == 0 {
      words += ")"
      return ordered.limit(count)
    }
    add(.requestOffset, ", offset: \(offset))")
    return ordered.limit(count, offset: offset)
  }

  private mutating func narrowed<Request: DerivableRequest>(_ request: Request, _ table: ShapeTable) -> Request {
    (0..<choices.below(3)).reduce(request) { request, _ in narrowedOnce(request, table) }
  }

  private mutating func narrowedOnce<Request: DerivableRequest>(_ request: Request, _ table: ShapeTable) -> Request {
    let (name, second) = (choices.pick(table.columns).name, choices.pick(table.columns).name)
    let (column, value) = (Column(name), choices.constant())
    switch choices.below(17) {
    case 0, 1:
      add(.equality, ".filter(\(name) == \(value.literal))")
      return request.filter(column == value.value)
    case 2:
      add(.inequality, ".filter(\(name) > \(value.literal))")
      return request.filter(column > value.value)
    case 3:
      add(.inequality, ".filter(\(name) != \(value.literal))")
      return request.filter(column != value.value)
    case 4:
      let other = choices.constant()
      add(.inList, ".filter([\(value.literal), \(other.literal)].contains(\(name)))")
      return request.filter([value.value, other.value].contains(column))
    case 5:
      add(.isNull, ".filter(\(name) == nil)")
      return request.filter(column == nil)
    case 6:
      add(.collation, ".filter(\(name).collating(.nocase) == \(value.literal))")
      return request.filter(column.collating(.nocase) == value.value)
    case 7:
      add(.like, ".filter(\(name).like(\"a%\"))")
      return request.filter(column.like("a%"))
    case 8:
      add(.between, ".filter((0...2).contains(\(name)))")
      return request.filter((0...2).contains(column))
    case 9:
      add(.or, ".filter(\(name) == \(value.literal) || \(second) == 1)")
      return request.filter(column == value.value || Column(second) == 1)
    case 10:
      add(.not, ".filter(!(\(name) == \(value.literal) && \(second) < 3))")
      return request.filter(!(column == value.value && Column(second) < 3))
    case 11:
      let other = choices.pick(tables)
      read(other)
      let otherName = choices.pick(other.columns).name
      add(.inSubquery, ".filter(Table(\"\(other.name)\").select(\(otherName)).contains(\(name)))")
      return request.filter(Table(other.name).select(Column(otherName)).contains(column))
    case 12:
      let other = choices.pick(tables)
      read(other)
      let otherName = choices.pick(other.columns).name
      add(.exists, ".filter(Table(\"\(other.name)\").filter(\(otherName) == \(value.literal)).exists())")
      return request.filter(Table(other.name).filter(Column(otherName) == value.value).exists())
    case 13:
      let key = newName()
      add(.arithmetic, ".annotated(with: (\(name) + 1).forKey(\"\(key)\"))")
      return request.annotated(with: (column + 1).forKey(key))
    case 14:
      add(.columnEquality, ".filter(\(name) == \(second))")
      return request.filter(column == Column(second))
    default:
      add(.orderBy, ".order(\(name).desc, \(second))")
      return request.order(column.desc, Column(second))
    }
  }

  private mutating func grouped(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    let (name, other) = (choices.pick(table.columns).name, choices.pick(table.columns).name)
    let (column, second) = (Column(name), Column(other))
    shapes.formUnion([.groupBy, .aggregate])
    words += ".select(\(name), count, max(\(other)), sum(\(other))).group(\(name))"
    let grouped = request.select(column, count(column), max(second), total(second - 1)).group(column)
    if choices.chance(50) { return grouped }
    let number = choices.below(3)
    add(.having, ".having(count(\(name)) > \(number))")
    return grouped.having(count(column) > number)
  }

  // MARK: - Associations

  /// The columns of an association. No foreign key needs to be declared.
  private struct Link {
    var target: ShapeTable
    var column: String
    var targetColumn: String

    var words: String { "\(target.name) with \(targetColumn) = \(column)" }

    var toOne: ForeignKey { ForeignKey([column], to: [targetColumn]) }

    var toMany: ForeignKey { ForeignKey([targetColumn], to: [column]) }
  }

  private mutating func link(from table: ShapeTable) -> Link {
    let target = choices.pick(tables)
    read(target)
    let (own, other) = (choices.pick(table.columns).name, choices.pick(target.columns).name)
    return Link(target: target, column: own, targetColumn: other)
  }

  private mutating func associated(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    let link = link(from: table)
    let (target, key) = (link.target, newName())
    let outer = words
    words = ""
    if choices.chance(35) {
      let association = Table(table.name).hasMany(Table(target.name), key: key, using: link.toMany)
      let narrowed = nested(narrowed(association, target), target, isOptional: false)
      words = "\(outer).including(all: \(link.words)\(words))"
      shapes.insert(.prefetchedAssociation)
      return request.including(all: narrowed)
    }
    let association = Table(table.name).belongsTo(Table(target.name), key: key, using: link.toOne)
    let kind = choices.below(5)
    let narrowed = nested(narrowed(association, target), target, isOptional: kind != 0 && kind != 2)
    let (inner, column) = (words, choices.pick(target.columns).name)
    shapes.insert(.association)
    switch kind {
    case 0:
      words = "\(outer).including(required: \(link.words)\(inner))"
      return request.including(required: narrowed)
    case 1:
      words = "\(outer).including(optional: \(link.words)\(inner))"
      return request.including(optional: narrowed)
    case 2:
      words = "\(outer).joining(required: \(link.words)\(inner))"
      return request.joining(required: narrowed)
    case 3:
      words = "\(outer).joining(optional: \(link.words)\(inner))"
      return request.joining(optional: narrowed)
    default:
      words = "\(outer).annotated(withOptional: \(link.words)\(inner).select(\(column)))"
      return request.annotated(withOptional: narrowed.select(Column(column).forKey(newName())))
    }
  }

  /// Adds an association of the associated table.
  ///
  /// - Parameter isOptional: Whether the table is joined optionally. Then it cannot require rows of others.
  private mutating func nested<Request: DerivableRequest & JoinableRequest>(
    _ request: Request, _ table: ShapeTable, isOptional: Bool
  ) -> Request where Request.RowDecoder == Row {
    guard choices.chance(25) else { return request }
    let (link, key) = (link(from: table), newName())
    let one = Table(table.name).belongsTo(Table(link.target.name), key: key, using: link.toOne)
    let many = Table(table.name).hasMany(Table(link.target.name), key: key, using: link.toMany)
    shapes.insert(.nestedAssociation)
    switch choices.below(3) {
    case 0:
      words += ".including(optional: \(link.words))"
      return request.including(optional: one)
    case 1 where !isOptional:
      words += ".joining(required: \(link.words))"
      return request.joining(required: one)
    default:
      shapes.insert(.prefetchedAssociation)
      words += ".including(all: \(link.words))"
      return request.including(all: many)
    }
  }

  private mutating func aggregatingAssociation(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    // The rows of a table with a primary key are grouped.
    guard !table.key.isEmpty, table.kind == .table else { return associated(request, table) }
    let link = link(from: table)
    let target = link.target
    let association = Table(table.name).hasMany(Table(target.name), key: newName() + "s", using: link.toMany)
    let column = choices.pick(target.columns).name
    shapes.insert(.associationAggregate)
    if choices.chance(50) {
      words += ".annotated(with: max(\(column)) of \(link.words))"
      return request.annotated(with: association.max(Column(column)))
    }
    words += ".having(\(link.words) is empty)"
    return request.having(association.isEmpty)
  }

  // MARK: - Common table expressions

  private mutating func withCommonTable(
    _ request: QueryInterfaceRequest<Row>, _ table: ShapeTable
  ) -> QueryInterfaceRequest<Row> {
    let (source, name) = (choices.pick(tables), newName())
    read(source)
    let (column, own) = (choices.pick(source.columns).name, choices.pick(table.columns).name)
    let outer = words
    words = ""
    let body = narrowed(Table(source.name).all(), source).select(Column(column).forKey("v"))
    let inner = "Table(\"\(source.name)\")\(words).select(\(column))"
    let common = CommonTableExpression<Row>(named: name, request: body)
    shapes.insert(.requestWithCommonTable)
    if choices.chance(50) {
      words = "\(outer).with(\(name) = \(inner)).filter(\(name).contains(\(own)))"
      return request.with(common).filter(common.contains(Column(own)))
    }
    words = "\(outer).with(\(name) = \(inner)).including(optional: \(name) with v = \(own))"
    let association = Table(table.name).association(to: common) { $0[own] == $1["v"] }
    return request.with(common).including(optional: association)
  }
}
