import Foundation
import SQLiteDB

// Code that is generic over the type of a column, as programs have it: it compiles, and does so quickly.

struct Repository<Key: Value> where Key.Datatype: Equatable {
  let table: Table
  let key: SQLExpression<Key>
  let parent: SQLExpression<Key?>

  func row(_ db: Connection, _ k: Key) throws -> Row? { try db.pluck(table.filter(key == k)) }
  func rowOfKey(_ db: Connection, _ k: Key) throws -> Row? { try db.pluck(table.filter(k == key && parent != k)) }
  func rows(_ db: Connection, _ keys: [Key]) throws -> [Row] { Array(try db.prepare(table.filter(keys.contains(key)))) }
  func children(_ k: Key?) -> Table { table.filter(parent == k && parent != nil && [k].count > 0) }
  func differing(_ k: Key) -> Table { table.filter(key != k || parent === k || key !== k) }
  func roots() -> Table { table.filter(parent == nil).filter(!(parent == key)) }
  func keyOf(_ row: Row) throws -> (Key, Key?) { (row[key], try row.get(parent)) }
  func insert(_ db: Connection, _ k: Key, _ p: Key?) throws -> Int64 { try db.run(table.insert(key <- k, parent <- p)) }
  func move(_ k: Key, to p: SQLExpression<Key>) -> Update { table.filter(key == k).update(parent <- p) }
  func all(_ db: Connection) throws -> [Key] { try db.prepareRowIterator(table.select(key)).map { $0[key] } }
  func count(_ db: Connection) throws -> Int { try db.scalar(table.select(key.distinct.count)) }
  func first(_ db: Connection) throws -> Key { try db.scalar(table.select(key)) }
  func orElse(_ k: Key) -> SQLExpression<Key> { parent ?? k }
  func window() -> SQLExpression<Key> { key.lag(offset: 1, key) }

  func create(_ db: Connection, _ k: Key) throws {
    try db.run(
      table.create { t in
        t.column(key, primaryKey: true)
        t.column(key, unique: true, check: key == k, defaultValue: k)
        t.column(parent, defaultValue: k)
        t.column(parent, references: table, key)
        t.column(key, primaryKey: true, references: table, key)
        t.foreignKey(parent, references: table, key, delete: .setNull)
        t.unique(key, parent)
        t.primaryKey(key, parent)
        t.check(key != k)
      })
    try db.run(table.addColumn(key, defaultValue: k))
    try db.run(table.addColumn(parent, references: table, key))
  }
}

func ordered<V: Value>(_ table: Table, _ c: SQLExpression<V>, _ o: SQLExpression<V?>, _ v: V) -> [Table]
where V.Datatype: Comparable {
  let largest: SQLExpression<V?> = c.max
  let smallest: SQLExpression<V?> = o.min
  return [
    table.filter(c > v), table.filter(v < c), table.filter(c >= c), table.filter(o <= v), table.filter(c < o),
    table.filter(c > v && c < v || c == v && c != v && o > v),
    table.group(c, having: c.max > v).order(largest, smallest),
    table.filter([v].contains(c)), table.filter([v].contains(o)), table.order(c.asc, o.desc),
  ]
}

func ranges<V: Value & Comparable>(_ table: Table, _ c: SQLExpression<V>, _ v: V) -> [Table]
where V.Datatype: Comparable {
  [table.filter(v...v ~= c), table.filter(v..<v ~= c), table.filter(v... ~= c)]
}

func computed<V: Value>(_ c: SQLExpression<V>, _ o: SQLExpression<V?>, _ v: V) -> [any Expressible]
where V.Datatype: Number {
  let sum: SQLExpression<V> = c + v
  let total: SQLExpression<V?> = c.sum
  return [
    sum, total, c - v, v * c, c / c, o + v, o + c, c + v * c, -c, c.absoluteValue, o.average, c.total, c += v, c -= c,
    o *= v, o /= c, c <- v, o <- c, o <- nil,
  ]
}

func integers<V: Value>(_ t: TableBuilder, _ c: SQLExpression<V>, _ o: SQLExpression<V?>, _ v: V) -> [any Expressible]
where V.Datatype == Int64 {
  t.column(c, primaryKey: .autoincrement)
  let bits: SQLExpression<V> = (c & v) | (c << v) ^ ~c
  return [bits, c % v, o >> v, c %= v, o &= v, c |= c, o ^= c, c++, o--]
}

func texts<V: Value>(_ table: Table, _ t: TableBuilder, _ c: SQLExpression<V>, _ o: SQLExpression<V?>, _ v: V)
  -> [any Expressible] where V.Datatype == String
{
  t.column(c, collate: .nocase)
  t.column(o, defaultValue: v, collate: .nocase)
  _ = table.addColumn(o, collate: .rtrim)
  return [c + v, c += v, o += v, v + o]
}

func functions<V: Value, W: Value>(_ db: Connection, _ c: SQLExpression<V>, _ body: @escaping (V) -> W?) throws
  -> SQLExpression<W?> where W.Datatype: Number
{
  let function: (SQLExpression<V>) -> SQLExpression<W?> = try db.createFunction("f", body)
  let converted: SQLExpression<W> = cast(c)
  return function(c) + SQLExpression<W?>(converted)
}

extension ExpressionType where UnderlyingType: Value {
  var doubled: SQLExpression<UnderlyingType> { SQLExpression("\(template) * 2", bindings) }
}

extension ExpressionType where UnderlyingType: _OptionalType, UnderlyingType.WrappedType: Value {
  var orNull: SQLExpression<UnderlyingType.WrappedType?> { SQLExpression(template, bindings) }
}

// Closures of transactions that return nothing leave no result unused.
func closures(_ db: Connection, _ queue: DispatchQueue, _ key: SQLExpression<Int64>) throws {
  let table = Table("t")
  let migrations: [() throws -> Void] = [
    { try db.transaction { try db.run(table.insert(key <- 1)) } },
    { try db.savepoint { try db.run(table.insert(key <- 2)) } },
    {
      try db.transaction(.immediate) {
        try db.run(table.insert(key <- 3))
        try db.run(table.insert(key <- 4))
      }
    },
  ]
  try migrations.forEach { migration in try db.transaction { try migration() } }
  try [5, 6].forEach { value in try db.transaction { try db.run(table.insert(key <- value)) } }
  try queue.sync { try db.transaction { try db.run(table.insert(key <- 7)) } }
  try queue.sync { try db.savepoint { try db.run("DELETE FROM t") } }
  DispatchQueue.concurrentPerform(iterations: 2) { index in
    // The closure cannot throw.
    // swift-format-ignore: NeverUseForceTry
    try! db.transaction { try db.run(table.insert(key <- Int64(index))) }
  }
  let id: Int64 = try db.transaction { try db.run(table.insert(key <- 8)) }
  let other = try db.savepoint { return try db.run(table.insert(key <- 9)) }
  try db.run(table.insert(key <- id + other))
}
