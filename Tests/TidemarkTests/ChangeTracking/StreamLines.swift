import Tidemark

extension TransactionChanges {
  /// The changes as texts.
  var lines: [String] { elements.map(\.description) }
}

/// The next transaction, as texts.
func lines(_ stream: ChangeStream) async throws -> [String] {
  var iterator = stream.makeAsyncIterator()
  return try await iterator.next()?.lines ?? ["the stream has ended"]
}
