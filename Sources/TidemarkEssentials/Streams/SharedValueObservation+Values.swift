extension SharedValueObservation {
  /// The values, as a sequence that one iterates with `for await`. Each iteration follows the observation.
  ///
  /// - parameter bufferingPolicy: What becomes of values that come faster than they are taken. By default, the newest
  ///   one is kept.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { [self] stream in
      let cancellable = follow(
        Sink(keepsAll: true, scheduler, onError: { stream.fail($0) }, onChange: { stream.put($0) }))
      return { cancellable.cancel() }
    }
  }
}
