extension Connection {
  /// The location of a database.
  public enum Location: Sendable {
    /// An in-memory database, which exists as long as the connection.
    case inMemory

    /// A temporary file, which is deleted when the connection is closed.
    case temporary

    /// A file or a URI, with URI parameters.
    ///
    /// Without parameters, the text is passed to SQLite unchanged: it is a path, or a URI that begins with `file:`.
    case uri(String, parameters: [URIQueryParameter] = [])
  }

  /// The kind of a row change.
  public enum Operation: Sendable, Hashable {
    /// The row was inserted.
    case insert

    /// The row was updated.
    case update

    /// The row was deleted.
    case delete
  }

  /// The moment at which a transaction takes its locks.
  public enum TransactionMode: String, Sendable, Hashable {
    /// When the transaction first reads, and when it first writes.
    case deferred = "DEFERRED"

    /// The lock of the writer is taken when the transaction begins.
    case immediate = "IMMEDIATE"

    /// All locks are taken when the transaction begins.
    case exclusive = "EXCLUSIVE"
  }
}

extension Connection.Location: CustomStringConvertible {
  /// The name that is passed to SQLite: `:memory:`, a path, `file:path?mode=ro&cache=private`.
  public var description: String {
    switch self {
    case .inMemory: ":memory:"
    case .temporary: ""
    case .uri(let uri, let parameters) where parameters.isEmpty: uri
    case .uri(let path, let parameters):
      Self.uri(Self.uri(ofPath: path), with: parameters.map(\.description).joined(separator: "&"))
    }
  }

  /// Returns a URI with more parameters. SQLite ignores a fragment, which would hide them.
  private static func uri(_ uri: String, with parameters: String) -> String {
    let scalars = uri.unicodeScalars.prefix { $0 != "#" }
    return "\(String(scalars))\(scalars.contains("?") ? "&" : "?")\(parameters)"
  }

  /// Returns a path as a URI, with the characters escaped that have a meaning in a URI.
  private static func uri(ofPath path: String) -> String {
    path.hasPrefix("file:") ? path : "file:\(path.escaped(["?", "#", "%"]))"
  }
}

extension String {
  /// Returns the text with ASCII characters replaced by their codes, as in a URI.
  fileprivate func escaped(_ characters: Set<Unicode.Scalar>) -> String {
    // Swift combines such a character and a following accent to one character, so scalars are compared.
    unicodeScalars.reduce(into: "") { text, scalar in
      if characters.contains(scalar) {
        text += "%\(String(scalar.value, radix: 16))"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// A parameter of a database URI. See <https://www.sqlite.org/uri.html>.
public enum URIQueryParameter: Sendable, CustomStringConvertible {
  /// Whether connections share their page cache.
  case cache(CacheMode)

  /// Whether the file is on a medium that cannot be written to.
  case immutable(Bool)

  /// The path of a file whose permissions a new file gets.
  case modeOf(String)

  /// Whether the file is read, written and created.
  case mode(FileMode)

  /// Whether file locking is disabled.
  case nolock(Bool)

  /// Whether a power failure during a write leaves the bytes outside the written range unchanged.
  case powersafeOverwrite(Bool)

  /// The name of the VFS, SQLite's interface to the operating system.
  case vfs(String)

  /// Whether file locking is disabled.
  ///
  /// ```swift
  /// let db = try Connection(.uri("path/to/db.sqlite3", parameters: [.noLock(true)]))
  /// ```
  ///
  /// - Parameter isOn: Whether locking is disabled.
  /// - Returns: The parameter.
  public static func noLock(_ isOn: Bool) -> URIQueryParameter { .nolock(isOn) }

  /// The access mode of a file.
  public enum FileMode: String, Sendable, Hashable {
    /// Read only.
    case readOnly = "ro"

    /// Read and write.
    case readWrite = "rw"

    /// Read and write; a missing file is created.
    case readWriteCreate = "rwc"

    /// No file: the database is in memory.
    case memory = "memory"
  }

  /// The cache mode of connections in one process.
  public enum CacheMode: String, Sendable, Hashable {
    /// Connections share one page cache.
    case shared

    /// The connection has its own page cache.
    case `private`
  }

  /// The parameter as it appears in a URI: `mode=ro`.
  public var description: String {
    switch self {
    case .cache(let mode): "cache=\(mode.rawValue)"
    case .immutable(let isOn): "immutable=\(isOn ? 1 : 0)"
    case .modeOf(let path): "modeOf=\(path.escaped(["&", "#", "%"]))"
    case .mode(let mode): "mode=\(mode.rawValue)"
    case .nolock(let isOn): "nolock=\(isOn ? 1 : 0)"
    case .powersafeOverwrite(let isOn): "psow=\(isOn ? 1 : 0)"
    case .vfs(let name): "vfs=\(name.escaped(["&", "#", "%"]))"
    }
  }
}
