/// Rules for single lines, and for the number of lines.
enum LineRules {
  static let linesMax = 400
  static let columnsMax = 120

  /// Tests contain tables of expected values, which are easiest to read in one piece.
  static let testColumnsMax = 150

  /// Files that are too long to keep in mind, and lines that do not fit on a screen.
  static func tooLong(in file: SourceFile) -> [Finding] {
    let columnsMax = file.path.hasPrefix("Tests/") ? testColumnsMax : columnsMax
    // The last line ends with a line feed, so an empty one follows it here.
    let lineCount = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
    let long = file.findings(in: file.lines) { line in
      line.count > columnsMax ? "\(line.count) columns, of \(columnsMax) at most" : nil
    }
    if lineCount <= linesMax { return long }
    return [file.finding("\(lineCount) lines, of \(linesMax) at most. Is it one idea?", line: linesMax)] + long
  }

  // Written in two parts, so that the list does not match itself.
  private static let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

  /// Notes about unfinished work.
  static func unfinished(in file: SourceFile) -> [Finding] {
    file.findings(in: file.lines) { line in
      guard let mark = marks.first(where: line.contains), words(of: line).contains(Substring(mark)) else { return nil }
      return "\(mark): do it, or write a decision"
    }
  }

  /// Calls that a library must not make: ending the program on an ordinary error, or writing to the output.
  static func forbiddenCalls(in files: [SourceFile]) -> [Finding] {
    // In a module with a `print` of its own, the word means that one.
    let modulesThatPrint = Set(files.filter { $0.swift.code.contains { $0.contains("func print(") } }.map(\.module))
    return files.flatMap { file in
      file.findings(in: file.swift.code) { line in
        if line.contains("try!") { return "try! ends the program on a mere error" }
        if prints(line), !modulesThatPrint.contains(file.module) { return "Do not print unrequested output" }
        return nil
      }
    }
  }

  /// Whether a line calls the global `print` without a destination.
  private static func prints(_ line: String) -> Bool {
    if line.contains("to: &") { return false }
    return line.ranges(of: "print(").contains { range in
      guard let before = line[..<range.lowerBound].last else { return true }
      return !(before.isLetter || before.isNumber || "._".contains(before))
    }
  }

  // Written in two parts, for the same reason.
  private static let machinePaths = ["/wo" + "rk/", "/fa" + "rm/", "/tmp/bash" + "_jobs"]

  /// Paths that exist on one machine only.
  static func machinePaths(in file: SourceFile) -> [Finding] {
    file.findings(in: file.lines) { line in
      machinePaths.first(where: line.contains).map { "\($0)… is a path of a particular machine" }
    }
  }

  private static func words(of line: String) -> [Substring] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
  }
}
