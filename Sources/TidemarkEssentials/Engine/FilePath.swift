/// Operations on paths, as text.
enum FilePath {
  /// The folder of a file; empty if the path has none.
  static func folder(of path: String) -> String {
    // Trailing slashes are not part of the name.
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    if trimmed.isEmpty { return path.isEmpty ? "" : "/" }
    let rest = trimmed.drop { $0 != UInt8(ascii: "/") }
    if rest.isEmpty { return "" }
    let folder = rest.drop { $0 == UInt8(ascii: "/") }
    return folder.isEmpty ? "/" : String(decoding: Array(folder.reversed()), as: UTF8.self)
  }

  /// The name of a file in its folder.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}
