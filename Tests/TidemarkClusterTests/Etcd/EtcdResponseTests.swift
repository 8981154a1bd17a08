import Foundation
import Testing

@testable import TidemarkCluster

/// The response to a request, which arrives in pieces of any size.
@Suite struct EtcdResponseTests {
  /// The state of a response after bytes have arrived in pieces.
  private func response(_ text: String, inPiecesOf size: Int = .max) throws(EtcdFailure) -> EtcdResponse {
    try response(Array(text.utf8), inPiecesOf: size)
  }

  private func response(_ bytes: [UInt8], inPiecesOf size: Int = .max) throws(EtcdFailure) -> EtcdResponse {
    var response = EtcdResponse()
    for start in stride(from: 0, to: bytes.count, by: max(1, min(size, bytes.count))) {
      try response.add(Array(bytes[start..<(min(bytes.count - start, size) + start)]))
    }
    return response
  }

  private static let complete: [(text: String, status: Int, body: String)] = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd", 200, "abcd"),
    ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\nA: b:c\r\n\r\n\r\n\r\n", 503, "\r\n\r\n"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""),
    ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
    ("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n", 200, "abcd"),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n00A;name=x\r\n0123456789\r\n2 \r\n\r\n\r\n0\r\nA: b\r\n\r\n",
      200,
      "0123456789\r\n"
    ),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "a"),
  ]

  @Test(arguments: complete, [1, 2, 3, 7, 1_000])
  func `a complete response has a status and a body, and keeps the connection`(
    expected: (text: String, status: Int, body: String), size: Int
  ) throws {
    let response = try response(expected.text, inPiecesOf: size)
    #expect(response.isComplete)
    #expect(response.keepsConnection)
    #expect(response.status == expected.status)
    #expect(String(decoding: response.body, as: UTF8.self) == expected.body)
  }

  @Test(arguments: complete) func `a response is complete at its last byte and not before`(
    expected: (text: String, status: Int, body: String)
  ) throws {
    for count in 0..<expected.text.utf8.count {
      var response = EtcdResponse()
      try response.add(Array(expected.text.utf8.prefix(count)))
      #expect(!response.isComplete, "after \(count) bytes")
      #expect(throws: EtcdFailure.self, "after \(count) bytes") { try response.end() }
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
    "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\na",
    "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
  ])
  func `a connection is not kept if the server closes it, or has sent too much`(text: String) throws {
    let response = try response(text)
    #expect(response.isComplete)
    #expect(response.body == Data("a".utf8))
    #expect(!response.keepsConnection)
  }

  @Test func `without a length, the response ends with the connection`() throws {
    var response = try response("HTTP/1.0 200 OK\r\n\r\nabc")
    #expect(!response.isComplete)
    try response.end()
    #expect(response.isComplete)
    #expect(response.body == Data("abc".utf8))
    #expect(!response.keepsConnection)
  }

  @Test(arguments: [
    "SMTP 200\r\n\r\n", "HTTP/1.0\r\n\r\n", "HTTP/1.1 20000 OK\r\n\r\n", "HTTP/1.1 OK 200\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    String(repeating: "a", count: 70_000),
  ])
  func `what is not a response decides nothing`(text: String) {
    let error = #expect(throws: EtcdFailure.self) { try response(text) }
    guard case .lost = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
  }

  @Test func `any bytes are a response, a part of one, or an error`() {
    var random = LogRandom(seed: 11)
    let parts = [
      "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "\r\n", "\r\n", "abc",
      "3\r\nabc\r\n", "0\r\n\r\n", "0\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "a", "ffffffff",
      ";", ": ", "\n", "\r",
    ]
    var completeCount = 0
    for _ in 0..<5_000 {
      var text = Array((Self.complete.randomElement(using: &random)?.text ?? "").utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let start = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, start + Int.random(in: 0...3, using: &random))
        text.replaceSubrange(start..<end, with: (parts.randomElement(using: &random) ?? "").utf8)
      }
      let description = String(decoding: text, as: UTF8.self)
      // The result does not depend on the pieces.
      let whole = Result { () throws(EtcdFailure) in try response(text) }
      let pieces = Result { () throws(EtcdFailure) in
        try response(text, inPiecesOf: Int.random(in: 1...5, using: &random))
      }
      switch (whole, pieces) {
      case (.success(let first), .success(let second)):
        #expect(first.isComplete == second.isComplete && first.status == second.status, "\(description)")
        #expect(first.body == second.body, "\(description)")
        #expect(first.keepsConnection == second.keepsConnection, "\(description)")
        completeCount += first.isComplete ? 1 : 0
      case (.failure(let first), .failure(let second)): #expect(first == second, "\(description)")
      default: Issue.record("\(description): \(whole), \(pieces)")
      }
    }
    #expect(completeCount > 500)
  }
}
