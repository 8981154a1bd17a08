public import Foundation

/// How a client of a log verifies its servers, and how it identifies itself to them, on connections with TLS.
///
/// A client accepts a server only if its certificate is valid, was issued by a trusted authority, and contains the host
/// name or IP address to which the client has connected. This check cannot be disabled.
///
/// ```swift
/// var tls = LogTLS()
/// tls.authorities = URL(fileURLWithPath: "/etc/tidemark/ca.pem")
/// tls.identity = LogTLS.Identity(
///   certificateChain: URL(fileURLWithPath: "/etc/tidemark/node.pem"),
///   privateKey: URL(fileURLWithPath: "/etc/tidemark/node-key.pem"))
///
/// var configuration = EtcdConfiguration(endpoints: endpoints)
/// configuration.tls = tls
/// ```
///
/// All files have the format PEM. They are read when a client connects: a file that is missing or not usable makes
/// operations throw ``LogError/rejected(_:)`` with its name.
public struct LogTLS: Hashable, Sendable {
  /// A file with the certificates of the trusted authorities; nil to trust the authorities of the system.
  public var authorities: URL?

  /// The certificate and the key of the client; nil if the servers do not require them.
  public var identity: Identity?

  /// The host name or IP address in the certificates of the servers; nil for the host of the URL of each server.
  ///
  /// Set it if clients reach the servers under another name, for example through a tunnel.
  public var serverName: String?

  /// Creates a description that trusts the authorities of the system, and has no identity.
  public init() {}

  /// The certificate of a client and its private key.
  public struct Identity: Hashable, Sendable {
    /// A file with the certificate of the client, and then the certificates of intermediate authorities.
    public var certificateChain: URL

    /// A file with the private key of the certificate, without a passphrase.
    public var privateKey: URL

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - certificateChain: A file with the certificate of the client, and then the certificates of
    ///     intermediate authorities.
    ///   - privateKey: A file with the private key of the certificate, without a passphrase.
    public init(certificateChain: URL, privateKey: URL) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
    }
  }

  /// The files that the description names.
  var files: [URL] { [authorities, identity?.certificateChain, identity?.privateKey].compactMap(\.self) }
}
