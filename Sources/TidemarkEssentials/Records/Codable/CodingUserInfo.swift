// The `userInfo` of the coders of records. Programs declare it as a dictionary of `any Sendable`, like Foundation's
// coders, or of `Any`, like the protocols of the standard library. Both declarations are supported.

/// A type that passes `Sendable` values to its `Decodable` implementation.
///
/// Do not adopt this protocol directly: `FetchableRecord` refines it.
public protocol SendableDecodingUserInfo {
  /// The content of `decoder.userInfo` in the `Decodable` implementation of the record. By default, it is empty.
  ///
  /// ```swift
  /// struct Player: Decodable, FetchableRecord {
  ///   static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [decoderName: "database row"]
  ///   var name: String
  /// }
  /// ```
  static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }
}

/// A type that passes `Sendable` values to its `Encodable` implementation.
///
/// Do not adopt this protocol directly: `EncodableRecord` refines it.
public protocol SendableEncodingUserInfo {
  /// The content of `encoder.userInfo` in the `Encodable` implementation of the record. By default, it is empty.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { get }
}

extension SendableDecodingUserInfo {
  /// An empty dictionary.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension SendableEncodingUserInfo {
  /// An empty dictionary.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension FetchableRecord {
  /// The values of both declarations; `Sendable` values take precedence.
  static var decodingUserInfo: [CodingUserInfoKey: Any] {
    userInfo(databaseDecodingUserInfo, databaseDecodingUserInfo)
  }
}

extension EncodableRecord {
  /// The values of both declarations; `Sendable` values take precedence.
  static var encodingUserInfo: [CodingUserInfoKey: Any] {
    userInfo(databaseEncodingUserInfo, databaseEncodingUserInfo)
  }
}

private func userInfo(
  _ any: [CodingUserInfoKey: Any], _ sendable: [CodingUserInfoKey: any Sendable]
) -> [CodingUserInfoKey: Any] {
  if sendable.isEmpty { return any }
  return any.merging(sendable as [CodingUserInfoKey: Any]) { _, sendable in sendable }
}

extension [CodingUserInfoKey: Any] {
  /// The same dictionary, with the type that Foundation's JSON coders require. The task that creates such a coder is
  /// the only one that uses it, so no value is sent to another task.
  package var forFoundation: [CodingUserInfoKey: any Sendable] {
    // `Sendable` is a marker protocol: both dictionary types have the same layout.
    unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
  }
}
