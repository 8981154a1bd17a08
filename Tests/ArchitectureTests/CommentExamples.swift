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

  /// A program with a function for each example. An extension stays at file scope. `…` stands for omitted code.
  static func program(_ examples: [Example]) -> String {
    examples.enumerated().map { index, example in
      let code = example.code.map { $0.replacing(" … ", with: " ") }.joined(separator: "\n")
      let location = "#sourceLocation(file: \"\(example.path)\", line: \(example.line))"
      if example.code.first?.hasPrefix("extension ") == true { return "\(location)\n\(code)\n" }
      let effects = code.contains("await ") ? "async throws" : "throws"
      return "func example\(index)() \(effects) {\n\(location)\n\(code)\n#sourceLocation()\n}\n"
    }.joined()
  }
}
