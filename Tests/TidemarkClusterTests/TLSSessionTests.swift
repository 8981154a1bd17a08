import Foundation
import Testing

@testable import TidemarkCluster

/// The client's end of a connection with TLS, without a connection.
@Suite struct TLSSessionTests {
  private func makeSession(_ host: String = "localhost") throws -> TLSSession {
    try TLSContext(LogTLS()).makeSession(host: host)
  }

  @Test func `without the library, the error names the file to be installed`() {
    #expect(
      throws: TLSError.unusable(
        "TLS requires the library of OpenSSL 3, libmissing.so.3: install it, for example libssl3")
    ) {
      _ = try OpenSSL(fileNames: ["libmissing.so.3", "libmissing.so"])
    }
    #expect(
      throws: TLSError.unusable(
        "TLS requires OpenSSL 1.1.1 or 3: the installed library has no function OPENSSL_init_crypto")
    ) {
      _ = try OpenSSL(fileNames: ["libsqlite3.so.0"])
    }
  }

  @Test(arguments: ["localhost", "127.0.0.1", "::1"])
  func `the message is not sent before the handshake, which names the host`(host: String) throws {
    let session = try makeSession(host)
    try session.send(Array("a secret".utf8))
    let output = session.takeOutput()
    #expect(output.starts(with: [22, 3, 1]), "a record of the handshake")
    #expect(!session.hasSentMessage)
    #expect(Data(output).range(of: Data("a secret".utf8)) == nil)
    // An IP address is not sent as a host name.
    #expect((Data(output).range(of: Data(host.utf8)) != nil) == (host == "localhost"))
    #expect(session.takeOutput() == [])
  }

  @Test(arguments: ["HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request", "SSH-2.0-OpenSSH_9.2\r\n"])
  func `a server with another protocol is refused`(text: String) throws {
    let session = try makeSession()
    try session.send([1])
    #expect(throws: TLSError.refused("the handshake of TLS failed: wrong version number")) {
      _ = try session.receive(Array(text.utf8))
    }
    #expect(!session.hasSentMessage)
  }

  @Test func `a connection that ends in the handshake is lost`() throws {
    let session = try makeSession()
    try session.send([1])
    #expect(throws: TLSError.lost("the server has closed the connection in the handshake: does it use TLS?")) {
      try session.end()
    }
  }

  @Test func `any bytes end the handshake, or wait for more, and never send the message`() throws {
    var random = LogRandom(seed: 7)
    let context = try TLSContext(LogTLS())
    for _ in 0..<300 {
      let session = try context.makeSession(host: "localhost")
      try session.send([1])
      var bytes: [UInt8] = [22, 3, 3, 0, 60, 2, 0, 0, 56, 3, 3]
      bytes += (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1
      let isRefused: Bool
      do throws(TLSError) {
        #expect(try session.receive(Array(bytes)) == ([], false))
        isRefused = false
      } catch {
        isRefused = true
      }
      #expect(!session.hasSentMessage)
      #expect(isRefused || session.takeOutput().count > 0)
    }
  }
}
