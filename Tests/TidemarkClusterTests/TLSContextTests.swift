import Foundation
import Testing

@testable import TidemarkCluster

/// The settings of TLS in the form of OpenSSL, and when their files are read again.
@Suite(.enabled(if: TestCertificates.isAvailable, Comment(rawValue: TestCertificates.isRequired)))
struct TLSContextTests {
  @Test func `until the key of a replaced certificate is replaced, the previous pair remains in use`() throws {
    let certificates = try TestCertificates.shared.get()
    let folder = certificates.folder.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func replace(_ name: String, with file: URL) throws -> URL {
      let target = folder.appendingPathComponent(name)
      try Data(contentsOf: file).write(to: target, options: .atomic)
      return target
    }
    var settings = certificates.tls()
    settings.identity = LogTLS.Identity(
      certificateChain: try replace("client.pem", with: certificates.certificate(.client)),
      privateKey: try replace("client-key.pem", with: certificates.key(.client)))
    var cache = TLSContextCache(settings)
    let former = try cache.context()
    #expect(try cache.context() === former)
    _ = try replace("client.pem", with: certificates.certificate(.stranger))
    #expect(try cache.context() === former)
    _ = try replace("client-key.pem", with: certificates.key(.stranger))
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
