/// The rules that keep the demo an example: it is a program as our users write them, with a clear structure.
enum DemoRules {
  /// The modules that the files of a folder import: drawing imports none, and C is for the terminal and for files.
  static let imports: [String: Set<String>] = [
    "Cells": [], "View": [], "Terminal": ["Foundation"],
    "Model": ["Foundation", "Tidemark"], "World": ["Foundation", "Tidemark", "TidemarkCluster"],
    "Watch": ["Foundation", "Tidemark"], "Commands": ["Foundation", "Tidemark", "TidemarkCluster"],
  ]

  /// Calls that are only allowed in the folder of the terminal.
  static let ofTheTerminal = ["tcsetattr", "tcgetattr", "ioctl", "termios", "isatty"]

  static func violations(in file: SourceFile) -> [Finding] {
    let allowed = file.module.map { imports[$0] ?? [] } ?? ["Foundation", "Tidemark"]
    return file.findings(in: file.swift.code) { line in
      let words = line.split { !($0.isLetter || $0.isNumber || "_@".contains($0)) }.map(String.init)
      if words.contains("import") {
        if words.first != "import" { return "The demo takes what is public, as everybody does" }
        if let module = words.last, !allowed.contains(module) {
          return "\(file.module ?? "The program") has no use for \(module)"
        }
      }
      if file.module != "Terminal", let call = words.first(where: ofTheTerminal.contains) {
        return "\(call) is for the folder Terminal"
      }
      return nil
    }
  }
}
