import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct UUIDTests {
  static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

  @Test func uuidsAreStoredAs16Bytes() throws {
    #expect(try stored(Self.uuid) == "X'E621E1F8C36C495A93FC0C247A3E6E5F'")
    #expect(try bound(Self.uuid) == "X'E621E1F8C36C495A93FC0C247A3E6E5F'")
  }

  @Test(arguments: [
    "x'E621E1F8C36C495A93FC0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'",
    "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", "'E621e1f8-c36C-495a-93fc-0C247a3E6e5F'",
  ])
  func uuidsAreRead(expression: String) throws {
    #expect(try strictly(UUID.self, expression) == Self.uuid)
    #expect(try fast(UUID.self, expression) == Self.uuid)
  }

  @Test(arguments: [
    "x''", "zeroblob(15)", "zeroblob(17)", "''", "'E621E1F8C36C495A93FC0C247A3E6E5F'",
    "'E621E1F8-C36C-495A-93FC-0C247A3E6E5'",
    "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F0'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5G'",
    "'{621E1F8-C36C-495A-93FC-0C247A3E6E5}'",
    "'E621E1F80C36C-495A-93FC-0C247A3E6E5F'", "'-621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "1", "1.5",
    "'E621E1F8-C36C-495A-93FC-0C247A3E6Eé'",
    "x'453632314531463820433336432034393541203933464320304332343741334536453546'",
  ])
  func invalidUUIDsAreRefused(expression: String) throws {
    #expect(try strictly(UUID.self, expression) == nil)
    #expect(try fast(UUID.self, expression) == nil)
  }

  @Test func nullIsNoUUID() throws {
    #expect(try strictly(UUID.self, "NULL") == nil)
    #expect(try DatabaseQueue().read { try UUID?.fetchAll($0, sql: "SELECT NULL") } == [nil])
  }

  @Test func everyUUIDRoundTrips() throws {
    var random = ValueRandom()
    for _ in 0..<1000 {
      let uuid = withUnsafeBytes(of: (random.next(), random.next())) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      #expect(UUID.fromDatabaseValue(uuid.databaseValue) == uuid)
      #expect(UUID.fromDatabaseValue(uuid.uuidString.databaseValue) == uuid)
      #expect(UUID.fromDatabaseValue(uuid.uuidString.lowercased().databaseValue) == uuid)
    }
  }

  @Test func nonhexadecimalBytesAreRefused() {
    for byte in UInt8.min ... .max {
      let isDigit = Character(UnicodeScalar(byte)).isHexDigit && byte < 128
      for position in [0, 7, 9, 35] {
        var bytes = Array("E621E1F8-C36C-495A-93FC-0C247A3E6E5F".utf8)
        bytes[position] = byte
        #expect(bytes.withUnsafeBufferPointer { UUID(text: $0) != nil } == isDigit)
      }
    }
  }
}
