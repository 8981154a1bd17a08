import Testing

extension ExitTest.Result? {
  /// What the process wrote before it ended.
  var words: String { self.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? "" }
}
