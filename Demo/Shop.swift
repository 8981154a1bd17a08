import Foundation
import Tidemark

/// What happens to an order.
enum OrderState: String, DatabaseValueConvertible, CaseIterable {
  case placed, paid, shipped
}

/// A customer, as a row of the ranking has him.
struct Customer: FetchableRecord {
  var name: String
  var orderCount: Int
  var total: Double

  init(row: Row) throws {
    name = row["name"]
    orderCount = row["orderCount"]
    total = row["total"]
  }
}

/// A shop in memory.
struct Shop {
  private let dbQueue: DatabaseQueue

  init() throws {
    var configuration = Configuration()
    configuration.label = "Shop"
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0])?.uppercased()
        })
    }
    dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE "order" (
            id INTEGER PRIMARY KEY,
            customerId INTEGER NOT NULL REFERENCES customer(id),
            state TEXT NOT NULL CHECK (state IN ('placed', 'paid', 'shipped')),
            amount REAL NOT NULL);
          """)
      for name in ["Ada", "Grace", "Niklaus", "Barbara"] {
        try db.execute(literal: "INSERT INTO customer (name) VALUES (\(name))")
      }
      for number in 1...1000 {
        try db.execute(
          sql: #"INSERT INTO "order" (customerId, state, amount) VALUES (?, ?, ?)"#,
          arguments: [1 + number * 7 % 4, OrderState.allCases[number % 3], Double(number % 97) + 0.5])
      }
    }
  }

  func show() throws {
    try showRanking()
    try showStates()
    try showRefusals()
  }

  private func showRanking() throws {
    print("Customers, by what they ordered\n")
    let customers = try dbQueue.read { db in
      try Customer.fetchAll(
        db,
        sql: """
          SELECT name, COUNT(*) AS orderCount, SUM(amount) AS total
          FROM customer JOIN "order" ON "order".customerId = customer.id
          GROUP BY customer.id ORDER BY total DESC
          """)
    }
    for customer in customers {
      let bar = String(repeating: "█", count: Int(customer.total / 500))
      print("  \(customer.name.padding(toLength: 10, withPad: " ", startingAt: 0))\(bar) \(customer.total)")
    }
  }

  private func showStates() throws {
    print("\nOrders of two customers, by state\n")
    let names = ["Ada", "Grace"]
    let request: SQLRequest<Row> = """
      SELECT shout(state) AS state, COUNT(*) AS orders, MAX(amount) AS largest
      FROM "order" JOIN customer ON customer.id = "order".customerId
      WHERE customer.name IN \(names)
      GROUP BY state
      """
    let table = try dbQueue.read { db in try TextTable(request.fetchCursor(db), rowCountMax: 10) }
    print(table)
  }

  private func showRefusals() throws {
    print("\nWhat is refused leaves nothing behind\n")
    do {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO customer (name) VALUES ('Edsger')")
        try db.execute(sql: "INSERT INTO customer (name) VALUES ('Ada')")
      }
    } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
      let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM customer") ?? 0 }
      print("  A name was there already: there are still \(count) customers.")
    }
  }
}
