/// The closures that are called for the events of an observation. Usually empty.
struct ObservationEvents: Sendable {
  var willStart: (@Sendable () -> Void)?
  var willFetch: (@Sendable () -> Void)?
  var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
  var databaseDidChange: (@Sendable () -> Void)?
  var didFail: (@Sendable (any Error) -> Void)?
  var didCancel: (@Sendable () -> Void)?

  /// Whether all closures are missing.
  var isEmpty: Bool { interests.isEmpty && willStart == nil && didFail == nil && didCancel == nil }

  /// The closures that the engine of live queries calls.
  struct Interests: OptionSet, Sendable {
    var rawValue: UInt8

    static let willFetch = Interests(rawValue: 1)
    static let willTrackRegion = Interests(rawValue: 2)
    static let databaseDidChange = Interests(rawValue: 4)
  }

  var interests: Interests {
    var interests: Interests = []
    if willFetch != nil { interests.insert(.willFetch) }
    if willTrackRegion != nil { interests.insert(.willTrackRegion) }
    if databaseDidChange != nil { interests.insert(.databaseDidChange) }
    return interests
  }

  /// Returns the closures of both, these first.
  func followed(by other: ObservationEvents) -> ObservationEvents {
    ObservationEvents(
      willStart: both(willStart, other.willStart),
      willFetch: both(willFetch, other.willFetch),
      willTrackRegion: both(willTrackRegion, other.willTrackRegion),
      databaseDidChange: both(databaseDidChange, other.databaseDidChange),
      didFail: both(didFail, other.didFail),
      didCancel: both(didCancel, other.didCancel))
  }

  private typealias Call<each Argument> = @Sendable (repeat each Argument) -> Void

  private func both<each Argument>(
    _ first: Call<repeat each Argument>?, _ second: Call<repeat each Argument>?
  ) -> Call<repeat each Argument>? {
    guard let first else { return second }
    guard let second else { return first }
    return { (argument: repeat each Argument) in
      first(repeat each argument)
      second(repeat each argument)
    }
  }
}
