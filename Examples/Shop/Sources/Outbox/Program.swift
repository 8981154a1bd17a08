// Delivers each purchase to a slow receiver, exactly once, also if the program is killed and started again.
//
//     Outbox shop.sqlite receiver.sqlite

import Foundation
import Shop
import Tidemark

/// The receiver stores the position of the last delivery together with the delivery. A delivery that has reached it is
/// therefore never repeated, and one that has not is never left out.
struct Receiver: Sendable {
  let dbQueue: DatabaseQueue

  init(_ path: String) throws {
    dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS parcel (purchase INTEGER PRIMARY KEY, product INTEGER, count INTEGER);
          CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)
          """)
    }
  }

  func position() async throws -> ChangeToken? {
    try await dbQueue.read { try String.fetchOne($0, sql: "SELECT token FROM position") }.flatMap { ChangeToken($0) }
  }

  func lastPurchase() throws -> Int64 {
    try dbQueue.read { try Int64.fetchOne($0, sql: "SELECT max(purchase) FROM parcel") } ?? 0
  }

  func receive(_ purchases: [Row], _ token: ChangeToken) throws {
    try dbQueue.write { db in
      for purchase in purchases {
        Thread.sleep(forTimeInterval: 0.005)
        try db.execute(
          // A purchase that was replaced in the shop was delivered before.
          sql: "INSERT OR IGNORE INTO parcel VALUES (?, ?, ?)",
          arguments: [purchase["id"], purchase["productId"], purchase["count"]])
      }
      try db.execute(sql: "INSERT OR REPLACE INTO position VALUES (1, ?)", arguments: [token.description])
    }
  }
}

@main struct Program {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { fatalError("usage: Outbox FILE RECEIVER") }
    let shop = try openShop(CommandLine.arguments[1])
    let receiver = try Receiver(CommandLine.arguments[2])
    var isKnown = try await receiver.position() != nil
    while true {
      do {
        if !isKnown { try deliverRest(of: shop, to: receiver) }
        isKnown = true
        try await deliverChanges(of: shop, to: receiver)
      } catch ChangeFeedError.expired, ChangeFeedError.otherHistory {
        isKnown = false
      }
    }
  }

  /// Delivers new purchases.
  static func deliverChanges(of shop: DatabasePool, to receiver: Receiver) async throws {
    say("following")
    for try await entry in try await shop.changes(after: receiver.position(), in: Table("purchase")) {
      guard entry.changes.isComplete else { throw ChangeFeedError.otherHistory }
      // The net changes: a purchase that was changed in its transaction has its last values.
      let changes = try Changeset([entry.changes]).filter(tables: ["purchase"]).net
      let purchases = changes.rows.filter { $0.operation == .insert }.compactMap(\.newRow)
      try receiver.receive(purchases, entry.token)
      for purchase in purchases { say("delivered \(purchase["id"] as Int64)") }
    }
  }

  /// Delivers what the table contains: at first, and when the changes are not known.
  static func deliverRest(of shop: DatabasePool, to receiver: Receiver) throws {
    let last = try receiver.lastPurchase()
    try shop.read { db in
      let rest = try Row.fetchAll(db, sql: "SELECT * FROM purchase WHERE id > ? ORDER BY id", arguments: [last])
      try receiver.receive(rest, db.changeToken())
    }
  }
}
