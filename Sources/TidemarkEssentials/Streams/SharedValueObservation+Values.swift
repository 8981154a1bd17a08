extension SharedValueObservation {
  /// Returns an asynchronous sequence of the values. Each iteration subscribes to the shared observation.
  ///
  /// ```swift
  /// for try await players in shared.values() {
  ///   print(players)
  /// }
  /// ```
  ///
  /// - Parameter bufferingPolicy: The policy for values that are produced faster than they are consumed. By default,
  ///   only the newest value is kept.
  /// - Returns: An asynchronous sequence of the values.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { [self] stream in
      let sink = Sink(keepsAll: true, scheduler, onError: { stream.fail($0) }, onChange: { stream.put($0) })
      return subscribe(sink)
    }
  }
}
