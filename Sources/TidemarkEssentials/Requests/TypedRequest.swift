/// A request with a known type of fetched values.
public protocol TypedRequest<RowDecoder> {
  /// The type that rows are decoded as.
  associatedtype RowDecoder
}
