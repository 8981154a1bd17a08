/// Where the values of an observation go.
protocol ValueSink<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Takes a value.
  func put(_ value: Value)

  /// Takes the error that ends the observation.
  func fail(_ error: any Error)

  /// The observation was cancelled: nothing is delivered any more once this has returned.
  func cancel()
}
