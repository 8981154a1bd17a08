// Keeps an audit log of all products: a table of each change, with its time.
//
//     AuditLog shop.sqlite

import Shop
import Tidemark

@main struct Program {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { fatalError("usage: AuditLog FILE") }
    let shop = try openShop(CommandLine.arguments[1])

    // The first acknowledgement creates the consumer: the log begins with the next transaction.
    try await shop.write { db in
      if try db.acknowledgedToken(by: "audit") == nil { try db.acknowledge(db.changeToken(), by: "audit") }
    }
    say("following")
    for try await entry in try await shop.changes(for: "audit", in: Table("product")) {
      // Log and position are written together: each transaction is logged once, whenever the program is stopped.
      try await shop.write { db in
        var lines = entry.changes.elements.map(\.description)
        if case .incomplete(let reason) = entry.changes.completeness { lines.append("other changes: \(reason)") }
        for line in lines {
          try db.execute(
            sql: "INSERT INTO audit (date, change) VALUES (?, ?)", arguments: [entry.changes.date, line])
          say(line)
        }
        try db.acknowledge(entry.token, by: "audit")
      }
    }
  }
}
