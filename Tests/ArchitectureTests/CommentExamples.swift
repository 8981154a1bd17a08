/// The Swift examples in documentation comments, as a program for the compiler.
enum CommentExamples {
  /// A fenced block of Swift in a documentation comment.
  struct Example: Equatable {
    let path: String

    /// The line of the first line of code, counted from 1.
    let line: Int

    let code: [String]
  }

  /// The examples of a file.
  static func examples(in file: SourceFile) -> [Example] {
    var examples: [Example] = []
    var opening: (line: Int, code: [String])?
    for (index, line) in file.lines.enumerated() {
      let text = line.drop(while: \.isWhitespace)
      guard text.hasPrefix("///") else {
        opening = nil
        continue
      }
      let comment = text.dropFirst(3)
      let content = comment.hasPrefix(" ") ? comment.dropFirst() : comment
      if let (start, code) = opening {
        if content.hasPrefix("```") {
          examples.append(Example(path: file.path, line: start, code: code))
          opening = nil
        } else {
          opening = (start, code + [String(content)])
        }
      } else if content == "```swift" {
        opening = (index + 2, [])
      }
    }
    return examples
  }

  /// A program with a function for each example. `…` stands for omitted code.
  ///
  /// - An example with an extension stays at file scope.
  /// - An example that begins with a member, such as a method without its type, becomes a part of a record.
  /// - If there is a context for the file, the function becomes a method of this context.
  ///
  /// - Parameter contexts: The names of structures with the values that the examples of one file use:
  ///   `TableAlterationExamples` for `TableAlteration.swift`.
  static func program(_ examples: [Example], contexts: Set<String> = []) -> String {
    examples.enumerated().map { index, example in
      var code = example.code.map(withoutOmissions).joined(separator: "\n")
      let location = "#sourceLocation(file: \"\(example.path)\", line: \(example.line))"
      if example.code.contains(where: { $0.hasPrefix("extension ") }) { return "\(location)\n\(code)\n" }
      if beginsWithMember(example) { code = "\(record)\n\(location)\n\(code)\n}" }
      let effects = code.contains(#/\bawait |\basync let /#) ? "async throws" : "throws"
      let function = "func example\(index)() \(effects) {\n\(location)\n\(code)\n#sourceLocation()\n}\n"
      let context = self.context(example.path)
      return contexts.contains(context) ? "extension \(context) {\n\(function)}\n" : function
    }.joined()
  }

  /// The names of the contexts that a file declares.
  static func contexts(in lines: [String]) -> [String] {
    lines.compactMap { line in line.prefixMatch(of: #/struct (\w+Examples) \{/#).map { String($0.1) } }
  }

  /// The record whose members are examples.
  private static let record = """
    struct Player: Codable, FetchableRecord, TableRecord, EncodableRecord {
    var id: Int64?
    var name = ""
    var title = ""
    var info = ""
    var creationDate: Date?
    var isNew = false
    """

  private static func context(_ path: String) -> String {
    let name = path.split(separator: "/").last?.split(separator: ".").first ?? ""
    return "\(name.replacing("+", with: "_"))Examples"
  }

  private static func beginsWithMember(_ example: Example) -> Bool {
    guard let first = example.code.first(where: { !$0.isEmpty && !$0.hasPrefix("//") }) else { return false }
    return first.prefixMatch(of: #/(static |mutating )?func |static |init[?(]/#) != nil
  }

  private static func withoutOmissions(_ line: String) -> String {
    if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") { return line }
    return line.replacing(" … ", with: " ").replacing(#/^\s*…$/#, with: "")
  }
}
