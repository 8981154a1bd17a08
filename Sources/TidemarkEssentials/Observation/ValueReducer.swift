/// What an observation does with what it fetches, until it is a value for the program.
///
/// You do not write reducers: `tracking`, `map`, `removeDuplicates` and their siblings make them.
public protocol ValueReducer<Value>: Sendable {
  /// What is fetched.
  associatedtype Fetched: Sendable

  /// What is delivered.
  associatedtype Value: Sendable

  /// Not for you to call: the value for what was fetched, or nil when there is nothing to deliver.
  mutating func _value(_ fetched: Fetched) throws -> Value?
}

/// The reducers of observations.
public enum ValueReducers {
  /// Delivers what is fetched.
  public struct Fetch<Value: Sendable>: ValueReducer {
    /// Not for you to call.
    public mutating func _value(_ fetched: Value) -> Value? { fetched }
  }

  /// Delivers what a closure makes of the values of another reducer.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) throws -> Value

    /// Not for you to call.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Value? {
      try base._value(fetched).map(transform)
    }
  }

  /// Delivers the values of another reducer that differ from the one before.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
    var base: Base
    let areEqual: @Sendable (Base.Value, Base.Value) -> Bool
    var previous: Base.Value?

    /// Not for you to call.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      if let previous, areEqual(previous, value) { return nil }
      previous = value
      return value
    }
  }

  /// Delivers the values of another reducer, and shows them on their way.
  public struct Trace<Base: ValueReducer>: ValueReducer {
    var base: Base
    let didReceiveValue: @Sendable (Base.Value) -> Void

    /// Not for you to call.
    public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      didReceiveValue(value)
      return value
    }
  }
}
