// Executes SQL in the database of the shop.
//
//     ShopWriter shop.sqlite "INSERT INTO product VALUES (1, 'Tea', 4.5)"

import Shop
import Tidemark

@main struct Program {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fatalError("usage: ShopWriter FILE SQL") }
    let shop = try openShop(arguments[1])
    try await shop.write { db in
      for row in try Row.fetchAll(db, sql: arguments[2]) {
        print(row.databaseValues.map(\.description).joined(separator: "\t"))
      }
    }
  }
}
