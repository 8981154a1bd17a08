public import Foundation

/// How an ``EtcdLog`` connects to a cluster of etcd servers.
///
/// ```swift
/// var configuration = EtcdConfiguration(endpoints: endpoints)
/// configuration.keyPrefix = "shop/"
/// configuration.credentials = .init(user: "shop", password: password)
/// configuration.tls.authorities = URL(fileURLWithPath: "/etc/tidemark/ca.pem")
/// let log = EtcdLog(configuration)
/// ```
///
/// All nodes of a cluster use the same ``keyPrefix``. Mistakes that a server or the file system shows, such as a wrong
/// password or a missing file, make operations throw ``LogError/rejected(_:)``.
public struct EtcdConfiguration: Sendable {
  /// The URLs of the client interfaces of the servers: `https://host:2379`, or `http://host:2379` without TLS.
  ///
  /// The client uses one of them until a request fails there, and then the next one.
  public var endpoints: [URL]

  /// The prefix of the keys of the log. Logs with different prefixes are independent of each other.
  ///
  /// With authentication, the user requires read and write permission for all keys with this prefix.
  public var keyPrefix = "tidemark/"

  /// The user and the password; nil if the cluster does not require authentication.
  public var credentials: Credentials?

  /// The certificates that the client trusts, and its own, for `https` endpoints.
  ///
  /// The files are read when the client connects, and again after one of them was replaced.
  public var tls = LogTLS()

  /// How long one request may take before the client tries the next server.
  ///
  /// The client repeats requests until the deadline of the whole operation.
  public var requestTimeout = Duration.seconds(2)

  /// How long a stream waits before it reads again after its watch has ended.
  var pollInterval = Duration.milliseconds(50)

  /// How long ``EtcdLog/entry(at:)`` may take, which has no deadline of its own.
  public var readTimeout = Duration.seconds(10)

  /// The limits of the log.
  ///
  /// By default, etcd refuses requests of more than 1.5 MB (`--max-request-bytes`). All nodes use the same limits.
  public var limits = LogLimits(payloadBytes: 512 << 10)

  /// The clock for deadlines and back-off.
  var clock = LogClock.system

  /// Creates a configuration.
  ///
  /// - Parameter endpoints: The URLs of the servers, at least one. An empty array traps.
  public init(endpoints: [URL]) {
    precondition(!endpoints.isEmpty, "An etcd configuration requires at least one endpoint")
    self.endpoints = endpoints
  }

  /// The name and the password of a user of etcd.
  public struct Credentials: Hashable, Sendable {
    /// The name of the user.
    public var user: String

    /// The password.
    public var password: String

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - password: The password.
    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }
}
