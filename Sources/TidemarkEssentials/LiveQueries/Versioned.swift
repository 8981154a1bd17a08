/// A value of an observation, with the version of the database at which it was read.
///
/// ```swift
/// for try await ranking in observation.withDatabaseVersions().values(in: dbPool) {
///   if ranking.includes(version) { print("includes the write:", ranking.value) }
/// }
/// ```
///
/// See ``ValueObservation/withDatabaseVersions()``.
public struct Versioned<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  /// The version of the database at which the value was read; nil if it is unknown.
  public let version: DatabaseVersion?

  init(value: Value, version: DatabaseVersion?) {
    self.value = value
    self.version = version
  }

  /// Returns whether the value includes all commits up to a version.
  ///
  /// - Parameter version: The version after a commit, from `databaseVersion()`; nil if it is unknown.
  /// - Returns: False if the value was read before the commit, and if either version is unknown.
  public func includes(_ version: DatabaseVersion?) -> Bool {
    guard let own = self.version, let version else { return false }
    return own >= version
  }
}

extension Versioned: Equatable where Value: Equatable {}
extension Versioned: Hashable where Value: Hashable {}
