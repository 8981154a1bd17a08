import FoundationEssentials

/// The location of a database, and the name that SQLite needs to open it.
///
/// A path is never interpreted as a URI (hazard F15): an SQLite library with URIs enabled would open
/// `file:x?mode=memory` as a database in memory, and lose its contents with the process.
enum DatabaseLocation {
  /// A file.
  case file(String)
  /// A private database in memory.
  case memory
  /// A database in memory that is shared by all connections of the process that use the name.
  case named(String)
  /// A private temporary file, which is deleted at the end.
  case temporary
  /// A URI that the program has given explicitly.
  case uri(String)

  /// Interprets a path. Two texts have a special meaning for SQLite, and cannot be names of files.
  init(path: String) {
    switch path {
    case ":memory:": self = .memory
    case "": self = .temporary
    default: self = .file(path)
    }
  }

  /// The argument of `sqlite3_open_v2`.
  var name: String {
    switch self {
    case .file(let path): Self.absolute(path)
    case .memory: ":memory:"
    case .named(let name): "file:\(Self.escaped(name))?mode=memory&cache=shared"
    case .temporary: ""
    case .uri(let uri): uri
    }
  }

  /// The path as shown to the program.
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
    // As bytes: Swift combines a slash and a following accent to one character.
    path.utf8.first == UInt8(ascii: "/") ? path : FileManager.default.currentDirectoryPath + "/" + path
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
