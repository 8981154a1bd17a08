import Tidemark

/// A database with a table `player(id, name, score)` and one `team(id, name)`.
enum StreamedDatabase: String, CaseIterable {
  case queue, fileQueue, pool

  struct Opened {
    let folder: TemporaryFolder
    let writer: any DatabaseWriter
  }

  func open() throws -> Opened {
    let folder = try TemporaryFolder()
    let writer: any DatabaseWriter =
      switch self {
      case .queue: try DatabaseQueue()
      case .fileQueue: try DatabaseQueue(path: folder.path("db"))
      case .pool: try folder.pool()
      }
    try writer.write { try $0.createPlayers() }
    return Opened(folder: folder, writer: writer)
  }
}

extension TransactionChanges {
  /// The changes as texts.
  var lines: [String] { elements.map(\.description) }
}

/// The next transaction, as texts.
func lines(_ stream: ChangeStream) async throws -> [String] {
  var iterator = stream.makeAsyncIterator()
  return try await iterator.next()?.lines ?? ["the stream has ended"]
}
