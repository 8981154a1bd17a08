/// Transforms the results of an observation's fetches into its values.
///
/// Programs do not define reducers: `tracking`, `map`, `removeDuplicates` and similar methods create them.
public protocol ValueReducer<Value>: Sendable {
  /// The type of fetched results.
  associatedtype Fetched: Sendable

  /// The type of delivered values.
  associatedtype Value: Sendable

  /// An internal requirement; do not call it. Returns the value for a result, or nil if there is nothing to deliver.
  mutating func _value(_ fetched: Fetched) throws -> Value?
}

/// The reducers of observations.
public enum ValueReducers {
  /// Delivers the fetched results.
  public struct Fetch<Value: Sendable>: ValueReducer {
    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: Value) -> Value? { fetched }
  }

  /// Delivers the transformed values of another reducer.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Value? {
      try base._value(fetched).map(transform)
    }
  }

  /// Delivers the values of another reducer that differ from the previous one.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
    var base: Base
    let areEqual: @Sendable (Base.Value, Base.Value) -> Bool
    var previous: Base.Value?

    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      if let previous, areEqual(previous, value) { return nil }
      previous = value
      return value
    }
  }

  /// Delivers the values of another reducer, and passes them to a closure.
  public struct Trace<Base: ValueReducer>: ValueReducer {
    var base: Base
    let didReceiveValue: @Sendable (Base.Value) -> Void

    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      didReceiveValue(value)
      return value
    }
  }
}
