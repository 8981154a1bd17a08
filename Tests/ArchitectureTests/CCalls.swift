/// Where SQLite's C interface may be used, and where C may call back.
enum CCalls {
  /// The modules that call SQLite.
  static let callers: Set = ["Platform", "SQLite", "Statements", "Values"]

  /// The module that passes closures and objects to C.
  static let callbacks: Set = ["Platform", "SQLite"]

  /// The violations.
  static func violations(
    in file: SourceFile, callers: Set<String> = callers, callbacks: Set<String> = callbacks
  ) -> [Finding] {
    guard let module = file.module else { return [] }
    return file.findings(in: file.swift.code) { line in
      if !callers.contains(module), let function = calledFunction(in: line) {
        let modules = Self.callers.sorted().joined(separator: ", ")
        return "\(module) calls \(function). Only \(modules) do: add a function there"
      }
      if !callbacks.contains(module), let word = ["Unmanaged", "@convention(c)"].first(where: line.contains) {
        return "\(word) in \(module). Only \(Self.callbacks.sorted().joined(separator: ", ")) is called back by C"
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
