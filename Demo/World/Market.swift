import Tidemark

/// The tables of the market, and their initial contents.
enum Market {
  static let customerCount = 10_000

  static let products: [(category: String, name: String, price: Int)] = [
    ("Kitchen", "🍜 Ramen", 1150), ("Kitchen", "🥟 Dumplings", 790), ("Kitchen", "🌮 Tacos", 650),
    ("Kitchen", "🍛 Curry", 980), ("Kitchen", "寿司 Sushi", 1490), ("Bakery", "🥐 Croissant", 240),
    ("Bakery", "Smørrebrød", 690), ("Bakery", "🍞 Sourdough", 520), ("Bakery", "Knäckebröd", 310),
    ("Drinks", "🍵 Sencha", 380), ("Drinks", "☕️ Espresso", 270), ("Drinks", "Café au lait", 340),
    ("Drinks", "🧋 Bubble tea", 490), ("Garden", "🌻 Sunflowers", 890), ("Garden", "🌵 Cactus", 1250),
    ("Garden", "Bonsai 盆栽", 4900), ("Books", "📚 Used novels", 450), ("Books", "Atlas", 3200),
    ("Books", "漫画 Manga", 870), ("Music", "🎸 Guitar strings", 1290), ("Music", "Vinyl", 2350),
    ("Crafts", "🧶 Wool", 740), ("Crafts", "Ceramics", 2800), ("Crafts", "🕯️ Candles", 560),
  ]

  private static let names = [
    "Ada", "Grace", "Niklaus", "Barbara", "Edsger", "Hedy", "Alan", "Radia", "José", "Zoë", "Łukasz", "明", "さくら", "민준",
    "Ольга", "Ελένη",
  ]

  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE customer (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, spent INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE product (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL,
          stock INTEGER NOT NULL, sold INTEGER NOT NULL DEFAULT 0, revenue INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE "order" (
          id INTEGER PRIMARY KEY, customerId INTEGER NOT NULL REFERENCES customer(id),
          productId INTEGER NOT NULL REFERENCES product(id), quantity INTEGER NOT NULL, amount INTEGER NOT NULL,
          state TEXT NOT NULL CHECK (state IN ('placed', 'paid')));
        CREATE INDEX order_by_state ON "order" (state, id);
        CREATE TABLE payment (
          id INTEGER PRIMARY KEY, orderId INTEGER NOT NULL, method TEXT NOT NULL, amount INTEGER NOT NULL);
        CREATE TABLE event (
          id INTEGER PRIMARY KEY, time TEXT NOT NULL DEFAULT (strftime('%H:%M:%f', 'now')), what TEXT NOT NULL,
          who TEXT, text TEXT NOT NULL);
        CREATE TRIGGER a_sale_counts AFTER INSERT ON "order" BEGIN
          UPDATE product SET sold = sold + new.quantity, stock = stock - new.quantity,
            revenue = revenue + new.amount WHERE id = new.productId;
          UPDATE customer SET spent = spent + new.amount WHERE id = new.customerId;
        END;
        """)
    for (category, name, price) in products {
      try db.execute(
        sql: "INSERT INTO product (name, category, price, stock) VALUES (?, ?, ?, 500)",
        arguments: [name, category, price])
    }
    for number in 1...customerCount {
      let name = "\(names[number % names.count]) \(number)"
      try db.execute(sql: "INSERT INTO customer (name) VALUES (?)", arguments: [name])
    }
  }
}

/// A transaction of the market. Each one returns the number of the event that it inserts.
enum TraderOperation: CaseIterable {
  case order, pay, restock, chat, tidy

  private static let remarks = [
    "is it open on Sunday? 🤔", "best ramen in town 🍜🔥", "sold out again…", "謝謝!", "where is the 🌵 stall?",
    "queue is short now 👍🏽",
    "merci beaucoup", "👨‍👩‍👧 are on our way", "rain in ten minutes ☔️", "who plays tonight? 🎸",
  ]

  /// The number of old rows that are kept.
  private static let keptCount = 20_000

  /// Chooses the next transaction of a writer: mostly orders and payments.
  static func next(_ random: inout some RandomNumberGenerator) -> TraderOperation {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: .order
    case 45..<80: .pay
    case 80..<95: .chat
    case 95..<99: .restock
    default: .tidy
    }
  }

  func callAsFunction(_ db: Database, _ random: inout some RandomNumberGenerator) throws -> Int64 {
    switch self {
    case .order: try TraderOperation.placeOrder(db, &random)
    case .pay: try TraderOperation.payOldest(db)
    case .restock: try TraderOperation.fillShelf(db)
    case .chat: try TraderOperation.say(db, &random)
    case .tidy: try TraderOperation.throwAway(db)
    }
  }

  private static func placeOrder(_ db: Database, _ random: inout some RandomNumberGenerator) throws -> Int64 {
    let customer = Int.random(in: 1...Market.customerCount, using: &random)
    // Some products sell better than others.
    let product = min(Int.random(in: 1...Market.products.count, using: &random), Int.random(in: 1...40, using: &random))
    try insertOrder(db, customer: customer, product: product, quantity: Int.random(in: 1...4, using: &random))
    return try insertEvent(
      db, "order", customer: customer, "#\(db.lastInsertedRowID) \(Market.products[product - 1].name)")
  }

  static func insertOrder(_ db: Database, customer: Int, product: Int, quantity: Int) throws {
    try db.execute(
      sql: """
        INSERT INTO "order" (customerId, productId, quantity, amount, state) VALUES (?, ?, ?, ?, 'placed')
        """, arguments: [customer, product, quantity, quantity * Market.products[product - 1].price])
  }

  private static func payOldest(_ db: Database) throws -> Int64 {
    let oldest = try Row.fetchOne(
      db, sql: #"SELECT id, customerId, amount FROM "order" WHERE state = 'placed' ORDER BY id LIMIT 1"#)
    guard let oldest else { return try insertEvent(db, "payment", customer: nil, "nobody owes anything") }
    let id: Int64 = oldest["id"]
    let amount: Int = oldest["amount"]
    try db.execute(sql: #"UPDATE "order" SET state = 'paid' WHERE id = ?"#, arguments: [id])
    try db.execute(
      sql: "INSERT INTO payment (orderId, method, amount) VALUES (?, ?, ?)",
      arguments: [id, id % 3 == 0 ? "cash" : "card", amount])
    return try insertEvent(
      db, "payment", customer: oldest["customerId"],
      "#\(id) \(NumberText.fixed(Double(amount) / 100, decimals: 2)) €")
  }

  private static func fillShelf(_ db: Database) throws -> Int64 {
    try db.execute(
      sql: "UPDATE product SET stock = stock + 400 WHERE id = (SELECT id FROM product ORDER BY stock LIMIT 1)")
    return try insertEvent(db, "stock", customer: nil, "400 more of what was nearly gone")
  }

  private static func say(_ db: Database, _ random: inout some RandomNumberGenerator) throws -> Int64 {
    let customer = Int.random(in: 1...Market.customerCount, using: &random)
    return try insertEvent(db, "chat", customer: customer, remarks.randomElement(using: &random) ?? "")
  }

  /// Deletes old completed orders: the market may run for days.
  private static func throwAway(_ db: Database) throws -> Int64 {
    for table in ["event", "payment", #""order""#] {
      let condition = table == #""order""# ? "state = 'paid' AND " : ""
      try db.execute(
        sql: "DELETE FROM \(table) WHERE \(condition)id < (SELECT MAX(id) FROM \(table)) - \(keptCount)")
    }
    return try insertEvent(db, "office", customer: nil, "old papers thrown away")
  }

  private static func insertEvent(_ db: Database, _ what: String, customer: Int?, _ text: String) throws -> Int64 {
    try db.execute(
      sql: "INSERT INTO event (what, who, text) VALUES (?, (SELECT name FROM customer WHERE id = ?), ?)",
      arguments: [what, customer, text])
    return db.lastInsertedRowID
  }
}
