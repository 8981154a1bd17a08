extension ValueObservation {
  /// Returns an observation that calls closures for its events.
  ///
  /// - Parameter willStart: Called when the observation starts.
  /// - Parameter willFetch: Called before a fetch.
  /// - Parameter willTrackRegion: Called when the tracked region is known, or has changed.
  /// - Parameter databaseDidChange: Called on the writer connection, when a commit may have changed the value.
  /// - Parameter didReceiveValue: Called when a value reaches this point of the observation.
  /// - Parameter didFail: Called when the observation ends with an error.
  /// - Parameter didCancel: Called when the observation is cancelled.
  public func handleEvents(
    willStart: (@Sendable () -> Void)? = nil,
    willFetch: (@Sendable () -> Void)? = nil,
    willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
    databaseDidChange: (@Sendable () -> Void)? = nil,
    didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
    didFail: (@Sendable (any Error) -> Void)? = nil,
    didCancel: (@Sendable () -> Void)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    var observation = reducing(ValueReducers.Trace(base: reducer, didReceiveValue: didReceiveValue ?? { _ in }))
    observation.events = events.followed(
      by: ObservationEvents(
        willStart: willStart, willFetch: willFetch, willTrackRegion: willTrackRegion,
        databaseDidChange: databaseDidChange, didFail: didFail, didCancel: didCancel))
    return observation
  }

  /// Returns an observation that prints its events.
  ///
  /// - Parameter prefix: The beginning of each line.
  /// - Parameter stream: Receives lines without line feeds; nil for lines on standard output.
  public func print(
    _ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    let printer = LinePrinter(prefix: prefix.isEmpty ? "" : "\(prefix): ", stream: stream)
    return handleEvents(
      willStart: { printer.print("start") },
      willFetch: { printer.print("fetch") },
      willTrackRegion: { printer.print("tracked region: \($0)") },
      databaseDidChange: { printer.print("database did change") },
      didReceiveValue: { printer.print("value: \($0)") },
      didFail: { printer.print("failure: \($0)") },
      didCancel: { printer.print("cancel") })
  }
}

/// Prints lines one by one.
private final class LinePrinter: Sendable {
  private let prefix: String
  private let stream: Mutex<(any TextOutputStream & Sendable)?>

  init(prefix: String, stream: (any TextOutputStream & Sendable)?) {
    self.prefix = prefix
    self.stream = Mutex(stream)
  }

  func print(_ line: String) {
    stream.withLock { stream in
      if stream == nil {
        Swift.print("\(prefix)\(line)")
      } else {
        stream?.write("\(prefix)\(line)")
      }
    }
  }
}
