import Foundation
import Testing
import Tidemark

/// A database with a change feed, a table `player(id, name, score)` and a table `team(id, name)`.
enum FedDatabase: String, CaseIterable {
  case queue, fileQueue, logQueue, pool

  struct Opened {
    let folder: TemporaryFolder
    let writer: any DatabaseWriter
  }

  func open(in folder: TemporaryFolder? = nil, _ feed: ChangeFeedConfiguration = .init()) throws -> Opened {
    let folder = try folder ?? TemporaryFolder()
    var configuration = Configuration()
    configuration.changeFeed = feed
    let writer: any DatabaseWriter
    switch self {
    case .queue: writer = try DatabaseQueue(configuration: configuration)
    case .fileQueue: writer = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    case .logQueue:
      configuration.journalMode = .wal
      writer = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    case .pool: writer = try DatabasePool(path: folder.path("db"), configuration: configuration)
    }
    try writer.write { if try !$0.tableExists("player") { try $0.createPlayers() } }
    return Opened(folder: folder, writer: writer)
  }

  /// The kinds with a file that other connections can use.
  static let shared: [FedDatabase] = [.fileQueue, .logQueue, .pool]
}

extension FedDatabase.Opened {
  var token: ChangeToken {
    get throws { try writer.read { try $0.changeToken() } }
  }

  /// The next entries after a token, as texts, on one line each.
  func entries(_ count: Int, after token: ChangeToken?, in regions: any DatabaseRegionConvertible...) async throws
    -> [String]
  {
    let stream =
      if let region = regions.first {
        try await writer.changes(after: token, in: region)
      } else {
        try await writer.changes(after: token)
      }
    return try await stream.take(count).map(\.changes.summary)
  }

  /// The stored entries after a token.
  func entries(after token: ChangeToken?) async throws -> [String] {
    let count = try self.token.version.count - (token?.version.count ?? 0)
    return try await entries(count, after: token)
  }

  func execute(_ sql: String) throws { try writer.write { try $0.execute(sql: sql) } }

  /// Executes SQL in a program without the feed.
  func strangerExecutes(_ sql: String) throws {
    try DatabaseQueue(path: folder.path("db")).write { try $0.execute(sql: sql) }
  }

  // In an async function, the methods of the writer would be the asynchronous ones.

  func read<T>(_ body: (Database) throws -> T) throws -> T { try writer.read(body) }
  func write<T>(_ body: (Database) throws -> T) throws -> T { try writer.write(body) }
  func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T { try writer.writeWithoutTransaction(body) }
  func close() throws { try writer.close() }
  func backup(to other: any DatabaseWriter) throws { try writer.backup(to: other) }
}

extension DatabaseVersion {
  /// The number of the version.
  var count: Int { Int(description) ?? -1 }
}

extension TransactionChanges {
  /// The changes on one line.
  var summary: String {
    let reason: [String] = if case .incomplete(let reason) = completeness { ["incomplete: \(reason)"] } else { [] }
    return (reason + elements.map(\.description)).joined(separator: "; ")
  }
}

extension AsyncSequence {
  /// The next elements.
  func take(_ count: Int) async throws -> [Element] {
    var iterator = makeAsyncIterator()
    var elements: [Element] = []
    while elements.count < count, let element = try await iterator.next() { elements.append(element) }
    return elements
  }
}
