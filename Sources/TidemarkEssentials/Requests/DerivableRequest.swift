/// A request that can be joined to others.
public protocol JoinableRequest<RowDecoder>: TypedRequest {}

/// A request that can be derived from: filtered, ordered, grouped, and so on.
///
/// Extend it with the vocabulary of your application:
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
  /// The request without rows that are equal to others: `SELECT DISTINCT …`.
  func distinct() -> Self
}
