import Tidemark

/// A database whose requests are observed.
enum RequestDatabase: String, CaseIterable {
  case pool, queue, walQueue, poolWithoutDetection

  /// One database of each kind.
  static let kinds: [RequestDatabase] = [.pool, .queue]

  func open(_ path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
    var configuration = configuration
    switch self {
    case .pool: return try DatabasePool(path: path, configuration: configuration)
    case .queue: return try DatabaseQueue(path: path, configuration: configuration)
    case .walQueue:
      configuration.journalMode = .wal
      return try DatabaseQueue(path: path, configuration: configuration)
    case .poolWithoutDetection:
      configuration.externalCommitDetection = .disabled
      return try DatabasePool(path: path, configuration: configuration)
    }
  }
}
