import Testing

extension ExitTest.Result? {
  /// The output of the process before it ended.
  var words: String { self.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? "" }
}
