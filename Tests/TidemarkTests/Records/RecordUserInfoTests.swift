import Testing
import Tidemark

private let mark = CodingUserInfoKey(rawValue: "mark").unsafelyUnwrapped

/// A record that stores the user info of its decoder or encoder.
private protocol UserInfoReader: Codable, FetchableRecord, PersistableRecord {
  init(told: String)
  var told: String { get }
}

extension UserInfoReader {
  init(from decoder: any Decoder) throws { self.init(told: "\(decoder.userInfo[mark] ?? "nothing")") }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: UserInfoReadingKey.self)
    try container.encode("\(encoder.userInfo[mark] ?? "nothing")", forKey: .told)
  }
}

private enum UserInfoReadingKey: CodingKey { case told }

private struct Spelled: UserInfoReader {
  static let databaseTableName = "told"
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [mark: "encoded"] }
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [mark: "decoded"] }
  var told: String
}

private struct SpelledSendable: UserInfoReader {
  static let databaseTableName = "told"
  static let databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] = [mark: "encoded"]
  static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [mark: "decoded"]
  var told: String
}

private struct Silent: UserInfoReader {
  static let databaseTableName = "told"
  var told: String
}

/// The user info of the `Codable` code of records, in both spellings of the type.
@Suite struct RecordUserInfoTests {
  private func stored(_ record: some UserInfoReader) throws -> String? {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE told (told TEXT)")
      try record.insert(db)
      return try String.fetchOne(db, sql: "SELECT told FROM told")
    }
  }

  @Test func anyUserInfoReachesTheDecoder() throws {
    #expect(try stored(Spelled(told: "")) == "encoded")
    #expect(try Spelled(row: [:]).told == "decoded")
  }

  @Test func sendableUserInfoReachesTheDecoder() throws {
    #expect(try stored(SpelledSendable(told: "")) == "encoded")
    #expect(try SpelledSendable(row: [:]).told == "decoded")
  }

  @Test func userInfoIsEmptyByDefault() throws {
    #expect(try stored(Silent(told: "")) == "nothing")
    #expect(try Silent(row: [:]).told == "nothing")
  }
}
