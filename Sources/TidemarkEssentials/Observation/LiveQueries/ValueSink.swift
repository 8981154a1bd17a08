/// Receives the values of an observation.
protocol ValueSink<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Receives a value.
  func put(_ value: Value)

  /// Receives the error that ends the observation.
  func fail(_ error: any Error)

  /// Reports that the observation was cancelled: no value is delivered after this has returned.
  func cancel()
}
