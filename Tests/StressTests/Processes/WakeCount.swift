/// How many fetches of live queries were caused by a change of what they read, with the change feed.
///
/// The fetches of a query between two comparisons count once.
struct WakeCount {
  private(set) var hits = 0

  /// The hits after a single transaction.
  private(set) var singleHits = 0

  /// Descriptions of the other ones.
  private(set) var misses: [String] = []
  private(set) var singleMisses: [String] = []

  mutating func addHit(isSingle: Bool) {
    hits += 1
    if isSingle { singleHits += 1 }
  }

  mutating func addMiss(_ description: String, isSingle: Bool) {
    misses.append(description)
    if isSingle { singleMisses.append(description) }
  }

  mutating func add(_ other: WakeCount) {
    hits += other.hits
    singleHits += other.singleHits
    misses += other.misses
    singleMisses += other.singleMisses
  }

  var count: Int { hits + misses.count }

  /// The shares of hits, of all wakes and of those after single transactions.
  var shares: [Double] {
    [(hits, misses.count), (singleHits, singleMisses.count)].map { Double($0) / Double(max(1, $0 + $1)) }
  }

  var description: String {
    "\(hits) of \(count) wakes were necessary; after single transactions \(singleHits) of "
      + "\(singleHits + singleMisses.count)"
  }
}
