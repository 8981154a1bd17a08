/// A request that knows what its rows become.
public protocol TypedRequest<RowDecoder> {
  /// What a row becomes.
  associatedtype RowDecoder
}
