/// The stream that a ``DumpFormat`` writes to.
///
/// ```swift
/// mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///   stream.write("a row\n")
/// }
/// ```
public struct DumpStream: TextOutputStream {
  private var base: any TextOutputStream
  private var needsMargin = false

  /// - Parameter stream: The stream to write to, or nil for the standard output.
  init(_ stream: (any TextOutputStream)?) {
    base = stream ?? StandardOutput()
  }

  /// Writes a text. If a margin was requested, an empty line precedes the text.
  ///
  /// - Parameter string: The text. An empty text has no effect.
  public mutating func write(_ string: String) {
    if string.isEmpty { return }
    if needsMargin {
      needsMargin = false
      if string.utf8.first != UInt8(ascii: "\n") { base.write("\n") }
    }
    base.write(string)
  }

  /// Requests an empty line before the next text that is written.
  ///
  /// Nothing is written if no text follows, or if the text begins with a newline. Several requests have the effect of
  /// one.
  public mutating func margin() { needsMargin = true }
}

private struct StandardOutput: TextOutputStream {
  // The program requests this output, unlike other output that a library could print.
  mutating func write(_ string: String) { Swift.print(string, terminator: "") }
}
