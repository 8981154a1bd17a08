// What the `Codable` code of records is told. Programs spell the type of it with `any Sendable`, as the coders of
// Foundation do, or with `Any`, as the protocols of the standard library do: both spellings are listened to.

/// A type that tells its `Decodable` code something, all of which is `Sendable`.
///
/// You do not adopt this protocol: `FetchableRecord` refines it.
public protocol SendableDecodingUserInfo {
  /// What the `Decodable` code of the record finds in `decoder.userInfo`. By default, nothing.
  ///
  /// ```swift
  /// extension Player: FetchableRecord {
  ///   static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [decoderName: "database row"]
  /// }
  /// ```
  static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }
}

/// A type that tells its `Encodable` code something, all of which is `Sendable`.
///
/// You do not adopt this protocol: `EncodableRecord` refines it.
public protocol SendableEncodingUserInfo {
  /// What the `Encodable` code of the record finds in `encoder.userInfo`. By default, nothing.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { get }
}

extension SendableDecodingUserInfo {
  /// Nothing.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension SendableEncodingUserInfo {
  /// Nothing.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension FetchableRecord {
  /// What the record says in either spelling.
  static var decodingUserInfo: [CodingUserInfoKey: Any] {
    userInfo(databaseDecodingUserInfo, databaseDecodingUserInfo)
  }
}

extension EncodableRecord {
  /// What the record says in either spelling.
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
  /// The same information, as the JSON coders of Foundation want it. They are used by whoever made them, and by nobody
  /// else: nothing is sent to another task.
  package var forFoundation: [CodingUserInfoKey: any Sendable] {
    // `Sendable` leaves no trace at run time: both types are one.
    unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
  }
}
