import Tidemark

/// A query whose result the model knows.
enum ModelQuery: Sendable, Hashable {
  case dump
  case count
  case scoreSum
  case item(Int64)
  case items(from: Int, limit: Int)
  case names
  case cursor
  case box(Int)
  case owners
  case version

  init(_ random: inout RandomNumbers) {
    switch random.below(16) {
    case 0..<4: self = .dump
    case 4: self = .count
    case 5: self = .scoreSum
    case 6..<8: self = .item(Int64(1 + random.below(6)))
    case 8..<10: self = .items(from: random.below(50), limit: 1 + random.below(4))
    case 10: self = .names
    case 11: self = .cursor
    case 12..<14: self = .box(random.below(3))
    case 14: self = .owners
    default: self = .version
    }
  }

  var text: String { "\(self)" }

  /// The expected result.
  func result(in content: ModelContent) throws(ModelError) -> String {
    switch self {
    case .dump: return content.dump
    case .version: return "\(content.userVersion)"
    case .box(let number):
      guard let values = content.boxes["box\(number)"] else { throw .noTable }
      return "\(values)"
    default: break
    }
    guard content.hasSchema else { throw .noTable }
    let sorted = content.items.sorted { $0.key < $1.key }
    switch self {
    case .count: return "\(content.items.count)"
    case .scoreSum: return "\(content.items.values.compactMap(\.score).reduce(0, +))"
    case .item(let id): return content.items[id].map { ModelItem(id: id, $0).text } ?? "none"
    case .items(let score, let limit):
      let all = sorted.filter { ($0.value.score ?? -1) >= score }
      let ordered = all.sorted { (-($0.value.score ?? 0), $0.key) < (-($1.value.score ?? 0), $1.key) }
      return "\(ordered.prefix(limit).map { ModelItem(id: $0.key, $0.value).text })"
    case .names: return "\(Set(content.items.values.compactMap(\.name)).sorted())"
    case .cursor: return sorted.map { "\($0.key)=\($0.value.code ?? -1)" }.joined(separator: " ")
    case .owners:
      let rows = content.parts.sorted { $0.key < $1.key }
      return rows.compactMap { part in content.items[part.value].map { "\(part.key):\($0.name ?? "-")" } }
        .joined(separator: " ")
    default: throw ModelError("no result")
    }
  }

  /// Fetches the result.
  func fetch(_ db: Database) throws -> String {
    switch self {
    case .dump: return try ModelContent.dump(db)
    case .version: return "\(try Int.fetchOne(db, sql: "PRAGMA user_version") ?? -1)"
    case .box(let number): return "\(try Int.fetchAll(db, sql: "SELECT n FROM box\(number) ORDER BY n"))"
    case .count: return "\(try ModelItem.fetchCount(db))"
    case .scoreSum: return "\(try Int.fetchOne(db, ModelItem.select(sum(Column("score")))) ?? 0)"
    case .item(let id): return try ModelItem.fetchOne(db, key: id)?.text ?? "none"
    case .items(let score, let limit):
      let request = ModelItem.filter(Column("score") >= score).order(Column("score").desc, Column("id")).limit(limit)
      return "\(try request.fetchAll(db).map(\.text))"
    case .names: return "\(try String.fetchSet(db, sql: "SELECT DISTINCT name FROM item").sorted())"
    case .cursor:
      var words: [String] = []
      let statement = try db.cachedStatement(sql: "SELECT id, code FROM item ORDER BY id")
      let rows = try Row.fetchCursor(statement)
      while let row = try rows.next() { words.append("\(row[0] as Int64)=\(row[1] as Int? ?? -1)") }
      return words.joined(separator: " ")
    case .owners:
      let sql = "SELECT part.id, item.name FROM part JOIN item ON item.id = part.itemId ORDER BY part.id"
      return try Row.fetchAll(db, sql: sql).map { "\($0[0] as Int64):\($0[1] as String)" }.joined(separator: " ")
    }
  }
}
