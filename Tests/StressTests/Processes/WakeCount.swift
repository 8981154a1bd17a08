/// The number of fetches of live queries that a change of the read rows has caused, with the change feed.
///
/// The fetches of a query between two comparisons count once. They are hits if a row of the region of the query has
/// changed, even if the transaction, or a later one, has undone that.
struct WakeCount: CustomStringConvertible {
  /// The transactions between two comparisons.
  enum Interval: String, CaseIterable {
    /// A single transaction.
    case single = "a single transaction"

    case many = "many transactions"

    /// The changes of some transactions were unknown to the reader of the feed: it was far behind, the schema has
    /// changed, the file was rebuilt, or it was uncertain after a checkpoint whether there were commits without an
    /// entry. All queries are fetched then.
    case singleUnknown = "a single transaction, unknown changes"
    case unknown = "many transactions, unknown changes"
  }

  struct Share {
    var hits = 0

    /// Descriptions of the other wakes.
    var misses: [String] = []

    /// The hits whose changes were undone by the same transaction.
    var undone = 0

    /// The share of the hits.
    var value: Double { hits == 0 && misses.isEmpty ? 1 : Double(hits) / Double(hits + misses.count) }
  }

  private(set) var shares: [Interval: Share] = [:]

  /// All intervals with one transaction.
  var singles: Share {
    let (known, unknown) = (self[.single], self[.singleUnknown])
    return Share(hits: known.hits + unknown.hits, misses: known.misses + unknown.misses, undone: known.undone)
  }

  subscript(interval: Interval) -> Share {
    get { shares[interval] ?? Share() }
    set { shares[interval] = newValue }
  }

  mutating func add(_ other: WakeCount) {
    for (interval, share) in other.shares {
      self[interval].hits += share.hits
      self[interval].misses += share.misses
      self[interval].undone += share.undone
    }
  }

  var hits: Int { shares.values.reduce(0) { $0 + $1.hits } }
  var misses: Int { shares.values.reduce(0) { $0 + $1.misses.count } }

  var description: String {
    Interval.allCases.map { interval in
      let share = self[interval]
      let undone = share.undone > 0 ? ", of which \(share.undone) by undone changes" : ""
      return "\(share.hits) of \(share.hits + share.misses.count) wakes necessary after \(interval.rawValue)\(undone)"
    }.joined(separator: "; ")
  }
}
