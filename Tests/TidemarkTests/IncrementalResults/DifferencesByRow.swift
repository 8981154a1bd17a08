import TestSupport

@testable import Tidemark
@testable import TidemarkEssentials

/// The numbers of fetches of an observed request.
struct RequestFetchCounts: Equatable, Sendable {
  var rows = 0
  var wholeResults = 0
}

extension FetchRequest
where RowDecoder: FetchableRecord & Equatable & Identifiable & Sendable, RowDecoder.ID: Sendable {
  /// The differences of a request whose changed rows are fetched one by one whenever this is possible, even if fetching
  /// the whole result is cheaper. Tests with few rows need this.
  func differencesByRow() -> DifferenceObservation<RowDecoder> {
    differences(cost: RowFetchCost(instructionCount: 0), counts: Locked(RequestFetchCounts()))
  }

  /// The differences of a request, with counted fetches.
  ///
  /// - Parameter corrupt: A planted fault: changes the elements of a single-row fetch.
  func differences(
    cost: RowFetchCost = RowFetchCost(), counts: Locked<RequestFetchCounts>,
    corrupting corrupt: @escaping @Sendable ([RowDecoder]) -> [RowDecoder] = { $0 }
  ) -> DifferenceObservation<RowDecoder> {
    let comparison = TrackedResult<RowDecoder>.Comparison(
      id: { AnyHashable($0.id) }, difference: { $1.keyedDifference(from: $0, by: { $0.id }) })
    return DifferenceObservation(self, comparison, cost: cost) { prepared, reader in
      let isRow = prepared.preparedStatement.sql.contains(":\(IncrementalQuery.idArgument)")
      let elements = try prepared.array(WholeRowDecoding<RowDecoder>.self, &reader)
      counts.update { isRow ? ($0.rows += 1) : ($0.wholeResults += 1) }
      return isRow ? corrupt(elements) : elements
    }
  }
}

extension Deliveries {
  /// Applies a difference to the last list, and appends the new one.
  func append<Item>(applying difference: KeyedDifference<Item>) where Value == [Item] {
    var list = values.last ?? []
    list.apply(difference)
    append(list)
  }
}
