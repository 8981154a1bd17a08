/// A request that can be joined to other requests.
public protocol JoinableRequest<RowDecoder>: TypedRequest {}

/// A request from which other requests can be derived, by filtering, ordering, grouping, and so on.
///
/// Extend this protocol to define the vocabulary of an application:
///
/// ```swift
/// extension DerivableRequest<Player> {
///   func winners() -> Self { filter { $0.score > 1000 } }
///   func inOrder() -> Self { order { [$0.score.desc, $0.name] } }
/// }
///
/// let request = Player.all().winners().inOrder()
/// ```
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
  SelectionRequest, TableRequest
{
  /// Returns a request without duplicate rows: `SELECT DISTINCT …`.
  func distinct() -> Self
}
