import Foundation
import Testing
import Tidemark

@Suite struct URLTests {
  static let url = URL(string: "https://ex.org/a?b=c#d")!

  @Test func urlsAreStoredAsText() throws {
    #expect(try stored(Self.url) == "'https://ex.org/a?b=c#d'")
    #expect(try bound(Self.url) == "'https://ex.org/a?b=c#d'")
  }

  @Test func relativeURLsAreStoredAsAbsoluteOnes() throws {
    #expect(try stored(URL(string: "b", relativeTo: Self.url)) == "'https://ex.org/b'")
    #expect(try stored(URL(string: "b")) == "'b'")
  }

  @Test func fileURLsRoundTrip() throws {
    let url = URL(filePath: "/home/é/a b.txt")
    #expect(try roundTrip(url) == (url, url))
  }

  @Test(arguments: [
    "'https://ex.org/a?b=c#d'", "CAST('https://ex.org/a?b=c#d' AS BLOB)", #"'"https:\/\/ex.org\/a?b=c#d"'"#,
    #"'"https://ex.org/a?b=c#d"'"#, #"'"\u0068ttps:\/\/ex.org\/a?b=c#d"'"#,
  ])
  func urlsAreRead(expression: String) throws {
    #expect(try strictly(URL.self, expression) == Self.url)
    #expect(try fast(URL.self, expression) == Self.url)
  }

  @Test(arguments: ["''", "1", "1.5", "x'ff'", #"'"https://ex.org'"#, "'\"'", "'http://[::1'", #"'""'"#])
  func invalidURLsAreRefused(expression: String) throws {
    #expect(try strictly(URL.self, expression) == nil)
    #expect(try fast(URL.self, expression) == nil)
  }

  @Test func urlsAreFoundByTheirText() throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE link(url, verified)")
      try db.execute(sql: "INSERT INTO link (url, verified) VALUES (?, ?)", arguments: [Self.url, true])
      #expect(
        try URL.fetchAll(db, sql: "SELECT url FROM link WHERE url = ?", arguments: [Self.url.absoluteString]) == [
          Self.url
        ])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM link"))
      let url: URL = row["url"]
      let verified: Bool = row["verified"]
      #expect(url == Self.url && verified)
    }
  }
}
