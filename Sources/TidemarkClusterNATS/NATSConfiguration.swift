#if NATS
  public import Foundation
  public import TidemarkCluster

  /// How a ``NATSLog`` connects to NATS servers, and which stream it uses.
  ///
  /// ```swift
  /// var configuration = NATSConfiguration(servers: servers, stream: "shop")
  /// configuration.replicas = 3
  /// configuration.serversSyncAlways = true
  /// configuration.credentials = .file(URL(fileURLWithPath: "/etc/tidemark/node.creds"))
  /// configuration.tls.authorities = URL(fileURLWithPath: "/etc/tidemark/ca.pem")
  /// let log = NATSLog(configuration)
  /// ```
  ///
  /// All nodes of a cluster use the same ``stream``. One of ``serversSyncAlways`` and ``allowsUnsyncedServers`` must be
  /// set. Mistakes that a server shows, such as a wrong password or an unsuitable stream, make operations throw
  /// `LogError.rejected`.
  public struct NATSConfiguration: Sendable {
    /// The URLs of the servers: `tls://host:4222`, or `nats://host:4222`, with TLS only if the server requires it.
    ///
    /// The client uses one of them until a request fails there, and then the next one.
    public var servers: [URL]

    /// The name of the stream that contains the log. Its subjects begin with this name.
    ///
    /// The client creates the stream if it does not exist.
    public var stream: String

    /// The number of servers that store the stream, if the client creates it: 1, 3 or 5.
    ///
    /// A stream with fewer replicas is rejected.
    public var replicas = 1

    /// How the client identifies itself; nil if the servers do not require it.
    public var credentials: Credentials?

    /// The certificates that the client trusts, and its own, for connections with TLS.
    ///
    /// The C client compares the names in certificates with host names only. For URLs with IP addresses, set
    /// `serverName`.
    public var tls = LogTLS()

    /// States that all servers have the setting `sync_interval: always`, which version 2.10 introduced.
    ///
    /// Clients cannot see this setting. Without it, a server acknowledges entries before they are on its disk, and a
    /// power failure loses acknowledged entries. With this statement, the client rejects older servers only; without
    /// it, it rejects all, unless ``allowsUnsyncedServers`` is set.
    public var serversSyncAlways = false

    /// Allows servers that acknowledge entries before they are on their disks.
    ///
    /// After a power failure of a server, nodes may have different contents, or stop with
    /// `LogError.historyDiverged`. Use it for tests, and where all data can be restored from elsewhere.
    public var allowsUnsyncedServers = false

    /// How long one request may take before the client tries the next server.
    ///
    /// The client repeats requests until the deadline of the whole operation.
    public var requestTimeout = Duration.seconds(2)

    /// How long ``NATSLog/entry(at:)`` may take, which has no deadline of its own.
    public var readTimeout = Duration.seconds(10)

    /// The limits of the log.
    ///
    /// By default, messages have 1 MB at most. Servers return entries in Base64, so payloads may have 700 KB at most.
    public var limits = LogLimits(payloadBytes: 512 << 10)

    /// The clock for deadlines and back-off.
    var clock = LogClock.system

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - servers: The URLs of the servers, at least one. An empty array traps.
    ///   - stream: The name of the stream: letters, digits, `-` and `_`. Another name traps.
    public init(servers: [URL], stream: String) {
      precondition(!servers.isEmpty, "A NATS configuration requires at least one server")
      precondition(
        !stream.isEmpty && stream.utf8.allSatisfy(Self.isAllowed),
        "The name of a stream consists of letters, digits, - and _")
      self.servers = servers
      self.stream = stream
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }

    /// How a client identifies itself to NATS servers.
    public enum Credentials: Hashable, Sendable {
      /// The name and the password of a user.
      case password(user: String, password: String)

      /// A file with the token and the key of a user, which the tool `nsc` writes.
      case file(URL)
    }
  }
#endif
