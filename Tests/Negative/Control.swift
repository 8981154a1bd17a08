// The valid counterparts of the cases: all of this compiles.

import Tidemark

func fetchesOfEachKind(_ db: Database) throws {
  let players: [Player] = try Player.fetchAll(db, sql: "SELECT * FROM player")
  let player: Player? = try Player.fetchOne(db, sql: "SELECT * FROM player")
  let numbers: [Int?] = try Int?.fetchAll(db, sql: "SELECT score FROM player")
  let colours: [Colour] = try Colour.fetchAll(db, sql: "SELECT colour FROM player")
  let names: Set<String> = try String.fetchSet(db, sql: "SELECT name FROM player")
  let requested: [Player] = try SQLRequest<Player>(sql: "SELECT * FROM player").fetchAll(db)
  _ = (players, player, numbers, colours, names, requested)
}

func aCursorStaysWhereItIs(_ db: Database) throws -> Int {
  var sum = 0
  let cursor = try Int.fetchCursor(db, sql: "SELECT score FROM player")
  while let score = try cursor.next() { sum += score }
  return sum
}

func aFetchedValueGoesAnywhere(_ db: Database) throws {
  let names = try String.fetchAll(db, sql: "SELECT name FROM player")
  Task.detached { print(names) }
  print(names)
}

func aStatementStaysWhereItIs(_ db: Database) throws -> [Int] {
  let statement = try db.makeStatement(sql: "SELECT score FROM player")
  return try Int.fetchAll(statement)
}
