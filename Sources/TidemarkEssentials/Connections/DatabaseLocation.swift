import FoundationEssentials

/// Where a database is, and what SQLite has to be told to find it.
///
/// A path is never taken for a URI (hazard F15): a SQLite built with URIs would open `file:x?mode=memory`
/// as a database in memory, and the data would be gone with the process.
enum DatabaseLocation {
  /// A file.
  case file(String)
  /// A private database in memory.
  case memory
  /// A database in memory that all connections of the process that use the name share.
  case named(String)
  /// A private file that nobody else sees, deleted at the end.
  case temporary
  /// What the program wrote as a URI.
  case uri(String)

  /// The meaning of a path. Two texts are special for SQLite, and no file can have these names.
  init(path: String) {
    switch path {
    case ":memory:": self = .memory
    case "": self = .temporary
    default: self = .file(path)
    }
  }

  /// What `sqlite3_open_v2` takes.
  var name: String {
    switch self {
    case .file(let path): Self.absolute(path)
    case .memory: ":memory:"
    case .named(let name): "file:\(Self.escaped(name))?mode=memory&cache=shared"
    case .temporary: ""
    case .uri(let uri): uri
    }
  }

  /// What the program is shown.
  var path: String {
    switch self {
    case .file(let path): path
    case .memory, .named, .temporary, .uri: name
    }
  }

  var isURI: Bool {
    switch self {
    case .named, .uri: true
    case .file, .memory, .temporary: false
    }
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  private static func escaped(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += byte < 16 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
