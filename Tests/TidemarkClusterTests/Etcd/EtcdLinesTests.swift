import Foundation
import Testing

@testable import TidemarkCluster

/// The response to a watch, which arrives in pieces of any size.
@Suite struct EtcdLinesTests {
  private let response = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\n{\"b\":2}\n{\"c\""

  @Test(arguments: [1, 2, 3, 7, 50, 1_000]) func linesAreFoundInPiecesOfAnySize(size: Int) throws {
    var lines = EtcdLines()
    let bytes = Array(response.utf8)
    var found: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      found += try lines.add(Array(bytes[start..<min(start + size, bytes.count)])).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(found == ["{\"a\":1}", "{\"b\":2}"])
    #expect(try lines.add(Array(":3}\n".utf8)) == [Data("{\"c\":3}".utf8)])
  }

  @Test func anotherStatusIsAnError() {
    #expect(throws: EtcdFailure.self) {
      var lines = EtcdLines()
      _ = try lines.add(Array("HTTP/1.0 503 Unavailable\r\n\r\n{}\n".utf8))
    }
  }
}
