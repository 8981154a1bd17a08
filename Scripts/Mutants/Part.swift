import Foundation

/// A part of the library whose tests are measured.
struct Part: Sendable {
  var name: String

  /// The sources, relative to the module's folder.
  var sources: [String]

  /// The suites of unit tests, which run first.
  var suites: [String]

  /// Suites that run for mutants that all unit tests have missed.
  var slowSuites: [String]
}

/// `Scripts/Mutants/parts.txt`: a paragraph for each part. Each line has a key and a list of words.
enum PartList {
  static func read(_ text: String) throws -> [Part] {
    try Paragraphs.read(text).map { paragraph in
      func words(_ key: String) -> [String] { paragraph[key, default: ""].split(separator: " ").map(String.init) }
      guard let name = paragraph["part"], !words("sources").isEmpty, !words("tests").isEmpty else {
        throw Failure("parts.txt: a part needs the keys part, sources and tests")
      }
      return Part(name: name, sources: words("sources"), suites: words("tests"), slowSuites: words("slow"))
    }
  }
}

/// Text in paragraphs of lines `key: value`. A line that begins with white space continues the value before it, and a
/// line that begins with `#` is a comment.
enum Paragraphs {
  static func read(_ text: String) throws -> [[String: String]] {
    var paragraphs: [[String: String]] = [[:]]
    var lastKey = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("#") {
      let content = line.trimmingCharacters(in: .whitespaces)
      if content.isEmpty {
        paragraphs.append([:])
      } else if line.first?.isWhitespace == true {
        paragraphs[paragraphs.count - 1][lastKey, default: ""] += " " + content
      } else if let colon = line.firstIndex(of: ":") {
        lastKey = String(line[..<colon])
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        paragraphs[paragraphs.count - 1][lastKey] = value
      } else {
        throw Failure("expected a line `key: value`, found: \(line)")
      }
    }
    return paragraphs.filter { !$0.isEmpty }
  }
}

struct Failure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
