import StressSupport

import Tidemark

/// Composes random requests: joined, prefetched and aggregated associations, which are nested, filtered, ordered and
/// aliased, with common table expressions.
struct RequestComposer {
  var random: RandomNumbers

  /// A description of the request, for messages.
  private(set) var words = ""

  private var context = Context()

  /// The number of joins that the current statement may still have. Each join to many rows counts twice.
  private var joinsLeft = 4

  private var nameCount = 0

  /// The possibilities of the relation that is being composed.
  private struct Context {
    var depth = 3

    /// Whether joins may be required. They must be optional behind an optional one.
    var allowsRequired = true

    var allowsPrefetch = true

    /// Whether the statement may have aggregates. Then, joined rows are unique: SQLite chooses arbitrary ones.
    var isGrouped = false

    /// Whether columns are selected.
    var selects = true

    /// Whether the relation is the first table of its statement.
    var isFirst = true
  }

  init(random: RandomNumbers) {
    self.random = random
  }

  /// Returns a name that no other part of the request has.
  private mutating func newName() -> String {
    nameCount += 1
    return "k\(nameCount)"
  }

  /// Runs a closure in another context.
  private mutating func inside<Result>(
    _ change: (inout Context) -> Void, _ body: (inout RequestComposer) -> Result
  ) -> Result {
    let outer = context
    defer { context = outer }
    change(&context)
    words += "("
    defer { words += ")" }
    return body(&self)
  }

  // MARK: - Associations

  /// Adds an association to one row.
  ///
  /// - Parameter isUnique: Whether at most one row is joined, whatever the tables contain.
  mutating func add<Request: DerivableRequest, Target: AssociationToOne>(
    _ name: String, _ association: Target, isUnique: Bool = true, to request: Request
  ) -> Request where Request.RowDecoder == Target.OriginRowDecoder, Target.RowDecoder: WakeRecord {
    if context.isGrouped, context.selects, !isUnique { return request }
    return join(name, association, cost: isUnique ? 1 : 2, to: request)
  }

  /// Adds an association to many rows.
  ///
  /// - Parameter hasKey: Whether the rows can be counted.
  mutating func add<Request: DerivableRequest, Target: AssociationToMany>(
    _ name: String, _ association: Target, hasKey: Bool = true, to request: Request
  ) -> Request where Request.RowDecoder == Target.OriginRowDecoder, Target.RowDecoder: WakeRecord {
    if context.isGrouped, context.isFirst, random.once(in: 2) {
      return aggregate(name, association, hasKey: hasKey, to: request)
    }
    let isJoined = !context.isGrouped || !context.selects
    if context.allowsPrefetch, !isJoined || random.once(in: 2) { return prefetch(name, association, to: request) }
    return isJoined ? join(name, association, cost: 2, to: request) : request
  }

  private mutating func prefetch<Request: DerivableRequest, Target: AssociationToMany>(
    _ name: String, _ association: Target, to request: Request
  ) -> Request where Request.RowDecoder == Target.OriginRowDecoder, Target.RowDecoder: WakeRecord {
    words += " all \(name)"
    let isGrouped = random.once(in: 3) && Target.RowDecoder.self != BigBook.self
    let outerJoinsLeft = joinsLeft
    joinsLeft = 4
    defer { joinsLeft = outerJoinsLeft }
    // Keys of the program's own: a direct and an indirect association with the same key cannot be merged.
    let key = newName() + "s"
    let target = inside {
      $0 = Context(depth: $0.depth - 1, isGrouped: isGrouped)
    } _: {
      $0.decorate(association.forKey(key))
    }
    return request.including(all: target)
  }

  private mutating func join<Request: DerivableRequest, Target: Association>(
    _ name: String, _ association: Target, cost: Int, to request: Request
  ) -> Request where Request.RowDecoder == Target.OriginRowDecoder, Target.RowDecoder: WakeRecord {
    guard joinsLeft >= cost else { return request }
    joinsLeft -= cost
    let isRequired = context.allowsRequired && random.once(in: 2)
    let use = context.selects ? random.below(3) : 1
    words += " \(["including", "joining", "annotated"][use]) \(isRequired ? "required" : "optional") \(name)"
    // Without a key of its own, the association is merged with another use of itself.
    var association = random.once(in: 2) ? association.forKey(newName()) : association
    var request = request
    if context.isFirst, random.once(in: 4) {
      let alias = TableAlias<Target.RowDecoder>()
      association = association.forKey(newName()).aliased(alias)
      request = filter(request, alias)
    }
    let target = inside {
      $0.depth -= 1
      $0.allowsRequired = isRequired
      $0.isFirst = false
    } _: {
      $0.decorate(association)
    }
    switch (use, isRequired) {
    case (0, true): return request.including(required: target)
    case (0, false): return request.including(optional: target)
    case (1, true): return request.joining(required: target)
    case (1, false): return request.joining(optional: target)
    case (_, true): return request.annotated(withRequired: target.select(Column("n").forKey(newName())))
    case (_, false): return request.annotated(withOptional: target.select(Column("n").forKey(newName())))
    }
  }

  /// Filters a request by columns of a table that is joined with it.
  private mutating func filter<Request: DerivableRequest, Other: WakeRecord>(
    _ request: Request, _ alias: TableAlias<Other>
  ) -> Request {
    let number = random.below(8)
    words += " aliased \(number)"
    switch random.below(4) {
    case 0: return request.filter(alias["n"] == number)
    case 1: return request.filter(!alias.exists || alias["n"] > number)
    case 2: return request.filter(alias["n"] == Column("n"))
    default: return request.annotated(with: (alias["n"] + number).forKey(newName()))
    }
  }

  private mutating func aggregate<Request: DerivableRequest, Target: AssociationToMany>(
    _ name: String, _ association: Target, hasKey: Bool, to request: Request
  ) -> Request where Request.RowDecoder == Target.OriginRowDecoder, Target.RowDecoder: WakeRecord {
    guard joinsLeft >= 2 else { return request }
    joinsLeft -= 2
    let association = random.once(in: 2) ? association.forKey(newName() + "s") : association
    words += " aggregate of \(name)"
    let target = inside {
      $0.depth -= 1
      $0.allowsRequired = false
      $0.allowsPrefetch = false
      $0.selects = false
      $0.isFirst = false
    } _: {
      $0.decorate(association)
    }
    let number = random.below(6)
    let n = Column("n")
    var aggregate: AssociationAggregate<Request.RowDecoder>
    switch random.below(hasKey ? 8 : 5) {
    case 0: aggregate = target.max(n)
    case 1: aggregate = target.min(n)
    case 2: aggregate = target.sum(n)
    case 3: aggregate = target.average(n)
    case 4: aggregate = target.total(n)
    case 5: aggregate = target.isEmpty
    default: aggregate = target.count
    }
    if random.once(in: 4) { aggregate = aggregate + number }
    switch random.below(5) {
    case 0:
      words += " having > \(number)"
      return request.having(aggregate > number)
    case 1:
      words += " having nil"
      return request.having(aggregate == nil || aggregate == number)
    default: return request.annotated(with: aggregate.forKey(newName()))
    }
  }

  // MARK: - Relations

  /// Adds conditions, orders and associations.
  private mutating func decorate<Request: DerivableRequest>(
    _ request: Request
  ) -> Request where Request.RowDecoder: WakeRecord {
    var request = narrow(request)
    if context.depth == 0 { return request }
    for _ in 0..<random.below(context.depth == 3 ? 4 : 3) {
      request = Request.RowDecoder.associating(request, &self)
    }
    return request
  }

  private mutating func narrow<Request: DerivableRequest>(
    _ request: Request
  ) -> Request where Request.RowDecoder: WakeRecord {
    let n = Column("n")
    let link = Column(random.pick(Request.RowDecoder.links))
    let number = random.below(8)
    let kind = random.below(24)
    if kind < 16 { words += " narrowed \(kind) \(link.name) \(number)" }
    switch kind {
    case 0: return request.filter(n == number)
    case 1: return request.filter(n > number)
    case 2: return request.filter(n == nil)
    case 3: return request.filter([number, 3].contains(n))
    case 4: return request.filter(n == number || link == 2)
    case 5: return request.filter((number - 2...number).contains(n))
    case 6: return request.filter(link == number)
    case 7: return request.filter([1, number, 4].contains(link))
    case 8: return request.filter(link != number && n != 3)
    case 9: return request.order(n.desc, link)
    case 10: return request.filter(Tag.filter(n < number).select(n).contains(link))
    case 11: return request.filter(literal: "\(n) % 3 = \(number % 3)")
    case 12: return request.filter(link == nil || n < number)
    case 13 where context.selects: return request.annotated(with: (n + 1).forKey(newName()))
    case 14:
      let table = commonTable(number)
      return request.with(table).filter(table.contains(n))
    case 15 where number == 0: return request.none()
    default: return request
    }
  }

  // MARK: - Common table expressions

  /// Returns a common table expression of one column, `n`.
  private mutating func commonTable(_ number: Int) -> CommonTableExpression<Row> {
    let name = newName()
    let n = Column("n")
    switch random.below(4) {
    case 0: return CommonTableExpression(named: name, request: Place.filter(n > number).select(n).distinct())
    case 1:
      return CommonTableExpression(
        recursive: true, named: name, columns: ["n"],
        literal: """
          SELECT id FROM author WHERE id = \(number) UNION \
          SELECT author.id FROM author JOIN \(sql: name) ON mentorId = \(sql: name).n
          """)
    case 2:
      return CommonTableExpression(
        named: name, columns: ["n"], sql: "SELECT DISTINCT max(n) FROM shop WHERE n < ? GROUP BY country",
        arguments: [number])
    default:
      let author = Book.author.filter(n != number)
      return CommonTableExpression(named: name, request: Book.joining(required: author).select(n).distinct())
    }
  }

  private mutating func joinCommonTable<Base: WakeRecord>(
    to request: QueryInterfaceRequest<Base>
  ) -> QueryInterfaceRequest<Base> {
    words += " cte"
    let table = commonTable(random.below(6))
    let link = random.pick(Base.links)
    let association = Base.association(to: table) { $0[link] == $1["n"] }
    let request = request.with(table)
    switch random.below(5) {
    case 0: return request.including(required: association)
    case 1: return request.including(optional: association)
    case 2: return request.joining(required: association)
    case 3: return request.annotated(withOptional: association.select(Column("n").forKey(newName())))
    default:
      let other = commonTable(random.below(6))
      let second = table.association(to: other) { $0["n"] == $1["n"] }
      return request.with(other).including(optional: association.including(optional: second))
    }
  }

  // MARK: - Requests

  mutating func query() -> WakeQuery {
    switch random.below(14) {
    case 0, 1, 2: query(Author.self)
    case 3, 4: query(Book.self)
    case 5: query(BigBook.self)
    case 6: query(Profile.self)
    case 7: query(Tag.self)
    case 8: query(BookTag.self)
    case 9, 10: query(Place.self)
    case 11: query(Shop.self)
    case 12: query(Visit.self)
    default: query(Note.self)
    }
  }

  private mutating func query<Base: WakeRecord>(_ base: Base.Type) -> WakeQuery {
    words = Base.databaseTableName
    if random.once(in: 8) { return commonTableQuery(base) }
    let isView = base == BigBook.self
    context.isGrouped = random.once(in: 3) && !isView
    let joinsCommonTable = random.once(in: 6) && !context.isGrouped
    let decorated = decorate(Base.all())
    let request = joinsCommonTable ? joinCommonTable(to: decorated) : decorated
    let form = random.below(10)
    let count = 1 + random.below(4)
    // A common table expression and a view have no primary key, which would make an order stable.
    if joinsCommonTable || isView { return WakeQuery(request, words) }
    switch form {
    case 0:
      let rows = request.withStableOrder().limit(count).asRequest(of: Row.self)
      return WakeQuery(rows, "\(count) of \(words)", isOrdered: true)
    case 1:
      let rows = request.withStableOrder().asRequest(of: Row.self)
      return WakeQuery(name: "first of \(words)") { try rows.fetchOne($0)?.tree ?? "none" }
    case 2: return WakeQuery(name: "count of \(words)") { "\(try request.fetchCount($0))" }
    case 3: return WakeQuery(name: "is empty: \(words)") { "\(try request.isEmpty($0))" }
    case 4: return WakeQuery(request.distinct(), "distinct \(words)")
    case 5: return WakeQuery(request.withStableOrder(), "ordered \(words)", isOrdered: true)
    case 6:
      let rows = request.withStableOrder().limit(count, offset: count).asRequest(of: Row.self)
      return WakeQuery(rows, "\(count) from \(count) of \(words)", isOrdered: true)
    default: return WakeQuery(request, words)
    }
  }

  /// Returns a query of a common table expression with which a table is joined.
  private mutating func commonTableQuery<Base: WakeRecord>(_ base: Base.Type) -> WakeQuery {
    let table = commonTable(random.below(6))
    let link = random.pick(Base.links)
    words = "cte with \(words)"
    let target = inside {
      $0.allowsPrefetch = false
      $0.allowsRequired = false
      $0.isFirst = false
    } _: {
      $0.decorate(table.association(to: base) { $0["n"] == $1[link] })
    }
    return WakeQuery(table.all().with(table).including(optional: target), words)
  }
}
