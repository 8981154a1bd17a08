import Testing

/// A violation that a check has found, and its location.
struct Finding: Equatable, Sendable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

extension SourceFile {
  /// A finding on a line of this file, counted from 1.
  func finding(_ message: String, line: Int) -> Finding { Finding(path: path, line: line, message: message) }

  /// A finding for each line for which the check returns a message.
  func findings(in lines: [String], _ check: (String) -> String?) -> [Finding] {
    lines.enumerated().compactMap { index, line in check(line).map { finding($0, line: index + 1) } }
  }
}

/// Records an issue for each finding, at its location in the file.
func report(_ findings: [Finding]) {
  for finding in findings {
    let location = SourceLocation(
      fileID: finding.path.contains("/") ? finding.path : "./" + finding.path,
      filePath: SourceTree.root.appending(path: finding.path).path(), line: max(finding.line, 1), column: 1)
    Issue.record(Comment(rawValue: finding.description), sourceLocation: location)
  }
}
