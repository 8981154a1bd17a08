// Prints prices from a cache. A change of a product removes its price from the cache.
//
//     PriceCache shop.sqlite      reads the ID of a product from each line

import Shop
import Synchronization
import Tidemark

/// Products by their IDs. A change of a product removes it, and only it.
final class PriceCache: Sendable {
  private let products = Mutex<[Int64: Product]>([:])
  private let generation = Mutex(0)

  /// Removes what transactions have changed, until the task is cancelled.
  func follow(_ changes: ChangeStream) async throws {
    for try await transaction in changes {
      generation.withLock { $0 += 1 }
      if transaction.isComplete, !transaction.changesSchema {
        for row in transaction.rows {
          for case .rowID(let id)? in [row.oldIdentity, row.newIdentity] {
            products.withLock { $0[id] = nil }
            say("changed \(id)")
          }
        }
      } else {
        // Some changes are unknown, or the schema has changed: any product may have changed.
        products.withLock { $0 = [:] }
        say("changed all")
      }
    }
  }

  func product(_ id: Int64, in shop: DatabasePool) throws -> (product: Product?, isCached: Bool) {
    if let known = products.withLock({ $0[id] }) { return (known, true) }
    let before = generation.withLock { $0 }
    let product = try shop.read { try Product.fetchOne($0, key: id) }
    // A product that was read before a change must not remain.
    generation.withLock { if $0 == before { products.withLock { $0[id] = product } } }
    return (product, false)
  }
}

@main struct Program {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { fatalError("usage: PriceCache FILE") }
    let shop = try openShop(CommandLine.arguments[1])
    let cache = PriceCache()
    let changes = try await shop.changes(in: Product.all())
    let following = Task {
      do {
        try await cache.follow(changes)
      } catch {
        fatalError("The cache cannot be kept up to date: \(error)")
      }
    }
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard let id = words.first.flatMap({ Int64($0) }) else { continue }
      if words.count == 2, let price = Double(words[1]) {
        try await shop.write {
          try $0.execute(sql: "UPDATE product SET price = ? WHERE id = ?", arguments: [price, id])
        }
      } else {
        let (product, isCached) = try cache.product(id, in: shop)
        let text = product.map { "\($0.name) \($0.price)" } ?? "unknown"
        say("\(text) from the \(isCached ? "cache" : "database")")
      }
    }
    following.cancel()
  }
}
