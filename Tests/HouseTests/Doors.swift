/// Where SQLite's C interface may be used, and where C may call back.
enum Doors {
  /// The modules that call SQLite.
  static let callers: Set = ["Engine", "Statements", "Values"]

  /// The module that passes closures and objects to C.
  static let callbacks: Set = ["Engine"]

  /// The violations.
  static func violations(
    in file: SourceFile, callers: Set<String> = callers, callbacks: Set<String> = callbacks
  ) -> [Finding] {
    guard let room = file.room else { return [] }
    return file.findings(in: file.swift.code) { line in
      if !callers.contains(room), let function = calledFunction(in: line) {
        let rooms = Self.callers.sorted().joined(separator: ", ")
        return "\(room) calls \(function). Only \(rooms) do: add a function there"
      }
      if !callbacks.contains(room), let word = ["Unmanaged", "@convention(c)"].first(where: line.contains) {
        return "\(word) in \(room). Only \(Self.callbacks.sorted().joined(separator: ", ")) is called back by C"
      }
      return nil
    }
  }

  /// The first function of SQLite, or of its shim, that a line calls.
  private static func calledFunction(in line: String) -> String? {
    guard line.contains("sqlite3") || line.contains("tidemark_") else { return nil }
    let match = line.firstMatch(of: #/\b(?:sqlite3(?:session|changeset|changegroup|rebaser)?|tidemark)_\w+(?=\s*\()/#)
    return match.map { String($0.output) }
  }
}
