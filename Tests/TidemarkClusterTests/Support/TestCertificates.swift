import Foundation

@testable import TidemarkCluster

/// Certificates and keys for tests, which the command `openssl` has made in a temporary folder.
struct TestCertificates: Sendable {
  /// Whether the command is installed.
  static let isAvailable = ["/usr/bin/openssl", "/usr/local/bin/openssl"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The comment of tests that are skipped without the command or a server.
  static let isRequired = "The command openssl is not installed, or no etcd server: Scripts/etcd.sh installs it"

  /// The certificates that the tests of a process share. They are removed when it exits.
  static let shared = Result {
    let certificates = try TestCertificates()
    atexit { try? FileManager.default.removeItem(at: TestCertificates.sharedFolder) }
    return certificates
  }

  private static let sharedFolder = FileManager.default.temporaryDirectory
    .appendingPathComponent("certificates-\(UUID().uuidString)")

  /// The purpose of a certificate, and its defect.
  enum Name: String {
    /// The trusted authority, and another one.
    case authority, otherAuthority

    /// A server at 127.0.0.1 and localhost; with a certificate that has expired; at other addresses.
    case server, expired, elsewhere

    /// A server with a certificate by the other authority.
    case otherServer

    /// A client; a client with a certificate by the other authority.
    case client, stranger
  }

  let folder: URL

  private init() throws {
    folder = Self.sharedFolder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = """
      set -eu
      key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1-key.pem"; }
      authority() {
        key "$1"
        openssl req -x509 -new -key "$1-key.pem" -subj "/CN=$1" -days 2 -out "$1.pem"
      }
      certificate() {
        key "$1"
        openssl req -new -key "$1-key.pem" -subj "/CN=localhost" -out "$1.csr"
        printf 'subjectAltName=%s\\nextendedKeyUsage=serverAuth,clientAuth\\n' "$3" >"$1.cnf"
        openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2-key.pem" -CAcreateserial -days "$4" \
          -extfile "$1.cnf" -out "$1.pem"
      }
      authority authority
      authority otherAuthority
      certificate server authority IP:127.0.0.1,DNS:localhost 2
      certificate expired authority IP:127.0.0.1,DNS:localhost -1
      certificate elsewhere authority IP:127.0.0.2,DNS:example.com 2
      certificate otherServer otherAuthority IP:127.0.0.1,DNS:localhost 2
      certificate client authority DNS:node 2
      certificate stranger otherAuthority DNS:node 2
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw UnexpectedResult() }
  }

  func certificate(_ name: Name) -> URL { folder.appendingPathComponent("\(name.rawValue).pem") }

  func key(_ name: Name) -> URL { folder.appendingPathComponent("\(name.rawValue)-key.pem") }

  /// The settings of a client.
  ///
  /// - Parameters:
  ///   - authority: The authority that it trusts.
  ///   - client: Its own certificate.
  func tls(trusting authority: Name = .authority, as client: Name? = nil) -> LogTLS {
    var tls = LogTLS()
    tls.authorities = certificate(authority)
    tls.identity = client.map { LogTLS.Identity(certificateChain: certificate($0), privateKey: key($0)) }
    return tls
  }

  /// A server of etcd with TLS.
  ///
  /// - Parameters:
  ///   - server: The certificate of the server.
  ///   - requiresClients: Whether it requires certificates of its clients.
  func makeServer(_ server: Name = .server, requiringClients requiresClients: Bool = false) -> EtcdServer {
    var arguments = ["--cert-file", certificate(server).path, "--key-file", key(server).path]
    if requiresClients {
      arguments += ["--client-cert-auth", "--trusted-ca-file", certificate(.authority).path]
    }
    var tls = self.tls(trusting: server == .otherServer ? .otherAuthority : .authority, as: .client)
    if server == .elsewhere { tls.serverName = "example.com" }
    return EtcdServer(EtcdServer.Address(scheme: "https"), arguments: arguments, tls: tls)
  }
}

/// Files that a test replaces, in a folder of their own.
struct ReplacedFiles {
  private let folder: URL

  init(in parent: URL) throws {
    folder = parent.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes the contents of another file into the file with a name, as a whole.
  @discardableResult
  func replace(_ name: String, with file: URL) throws -> URL {
    let target = folder.appendingPathComponent(name)
    try Data(contentsOf: file).write(to: target, options: .atomic)
    return target
  }
}
