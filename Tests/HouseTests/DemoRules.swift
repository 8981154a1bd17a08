/// What keeps the demo an example: it is a program like those of our users, and its folders are what they say.
enum DemoRules {
  /// What the files of a folder import: drawing takes nothing at all, and C is for the terminal and the files.
  static let imports: [String: Set<String>] = [
    "Cells": [], "View": [], "Terminal": ["Foundation"],
    "Model": ["Foundation", "Tidemark"], "World": ["Foundation", "Tidemark"],
    "Watch": ["Foundation", "Tidemark"], "Commands": ["Foundation", "Tidemark"],
  ]

  /// What only the folder of the terminal does.
  static let ofTheTerminal = ["tcsetattr", "tcgetattr", "ioctl", "termios", "isatty"]

  static func violations(in file: SourceFile) -> [Finding] {
    let allowed = file.room.map { imports[$0] ?? [] } ?? ["Foundation", "Tidemark"]
    return file.findings(in: file.swift.code) { line in
      let words = line.split { !($0.isLetter || $0.isNumber || "_@".contains($0)) }.map(String.init)
      if words.contains("import") {
        if words.first != "import" { return "The demo takes what is public, as everybody does" }
        if let module = words.last, !allowed.contains(module) {
          return "\(file.room ?? "The program") has no use for \(module)"
        }
      }
      if file.room != "Terminal", let call = words.first(where: ofTheTerminal.contains) {
        return "\(call) is for the folder Terminal"
      }
      return nil
    }
  }
}
