import Foundation
import Testing

@testable import TidemarkCluster

/// The settings of TLS in the form of OpenSSL, and when their files are read again.
@Suite(.enabled(if: TestCertificates.isAvailable, Comment(rawValue: TestCertificates.isRequired)))
struct TLSContextTests {
  @Test func `until the key of a replaced certificate is replaced, the previous pair remains in use`() throws {
    let certificates = try TestCertificates.shared.get()
    let files = try ReplacedFiles(in: certificates.folder)
    var settings = certificates.tls()
    settings.identity = LogTLS.Identity(
      certificateChain: try files.replace("client.pem", with: certificates.certificate(.client)),
      privateKey: try files.replace("client-key.pem", with: certificates.key(.client)))
    var cache = TLSContextCache(settings)
    let former = try cache.context()
    #expect(try cache.context() === former)
    try files.replace("client.pem", with: certificates.certificate(.stranger))
    #expect(try cache.context() === former)
    try files.replace("client-key.pem", with: certificates.key(.stranger))
    #expect(try cache.context() !== former)
  }

  @Test func `a pair that was never complete is an error`() throws {
    let certificates = try TestCertificates.shared.get()
    var settings = certificates.tls(as: .client)
    settings.identity?.privateKey = certificates.key(.stranger)
    var cache = TLSContextCache(settings)
    #expect(throws: TLSError.self) { try cache.context() }
  }
}
