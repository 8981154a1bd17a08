@testable import TidemarkEssentials

extension PrefetchedRows: ExpressibleByDictionaryLiteral {
  /// The rows of some keys.
  public init(dictionaryLiteral elements: (String, [Row])...) {
    self.init()
    for (key, rows) in elements { set(rows, at: [key]) }
  }
}
