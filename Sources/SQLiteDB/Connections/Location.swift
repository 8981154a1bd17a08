extension Connection {
  /// Where a database is.
  public enum Location: Sendable {
    /// In memory, as long as the connection lives.
    case inMemory

    /// In a file of its own, which is deleted when the connection is closed.
    case temporary

    /// In a file, or where a URI says.
    ///
    /// Without parameters it is what SQLite is given: a path, or a URI that begins with `file:`.
    case uri(String, parameters: [URIQueryParameter] = [])
  }

  /// A change of a row.
  public enum Operation: Sendable, Hashable {
    /// A row was inserted.
    case insert

    /// A row was updated.
    case update

    /// A row was deleted.
    case delete
  }

  /// How a transaction takes its locks.
  public enum TransactionMode: String, Sendable, Hashable {
    /// When it first reads, and when it first writes.
    case deferred = "DEFERRED"

    /// The lock of the writer at once.
    case immediate = "IMMEDIATE"

    /// All at once.
    case exclusive = "EXCLUSIVE"
  }
}

extension Connection.Location: CustomStringConvertible {
  /// What SQLite is given: `:memory:`, the path, `file:path?mode=ro&cache=private`.
  public var description: String {
    switch self {
    case .inMemory: ":memory:"
    case .temporary: ""
    case .uri(let uri, let parameters) where parameters.isEmpty: uri
    case .uri(let path, let parameters):
      "\(Self.uri(ofPath: path))?\(parameters.map(\.description).joined(separator: "&"))"
    }
  }

  /// A path as a URI: what means something else there is escaped.
  private static func uri(ofPath path: String) -> String {
    if path.hasPrefix("file:") { return path }
    return path.reduce(into: "file:") { uri, character in
      switch character {
      case "?": uri += "%3f"
      case "#": uri += "%23"
      case "%": uri += "%25"
      default: uri.append(character)
      }
    }
  }
}

/// How a database is opened that a URI stands for. See <https://www.sqlite.org/uri.html>.
public enum URIQueryParameter: Sendable, CustomStringConvertible {
  /// Whether connections share their pages.
  case cache(CacheMode)

  /// Whether the file is on a medium that nobody can write to.
  case immutable(Bool)

  /// The file whose permissions are those of a file that is created.
  case modeOf(String)

  /// Whether the file is read, written, created.
  case mode(FileMode)

  /// Whether the file is not locked.
  case nolock(Bool)

  /// Whether a loss of power leaves the bytes alone that are beside those that were written.
  case powersafeOverwrite(Bool)

  /// The name of what SQLite uses the system through.
  case vfs(String)

  /// Whether the file is not locked.
  public static func noLock(_ isOn: Bool) -> URIQueryParameter { .nolock(isOn) }

  /// Whether the file is read, written, created.
  public enum FileMode: String, Sendable, Hashable {
    /// It is read.
    case readOnly = "ro"

    /// It is read and written.
    case readWrite = "rw"

    /// It is read and written, and created when there is none.
    case readWriteCreate = "rwc"

    /// There is none: the database is in memory.
    case memory = "memory"
  }

  /// Whether connections share their pages.
  public enum CacheMode: String, Sendable, Hashable {
    /// They do.
    case shared

    /// They do not.
    case `private`
  }

  /// The parameter in the URI: `mode=ro`.
  public var description: String {
    switch self {
    case .cache(let mode): "cache=\(mode.rawValue)"
    case .immutable(let isOn): "immutable=\(isOn ? 1 : 0)"
    case .modeOf(let path): "modeOf=\(path)"
    case .mode(let mode): "mode=\(mode.rawValue)"
    case .nolock(let isOn): "nolock=\(isOn ? 1 : 0)"
    case .powersafeOverwrite(let isOn): "psow=\(isOn ? 1 : 0)"
    case .vfs(let name): "vfs=\(name)"
    }
  }
}
