import Tidemark

/// The kinds of readers. Tests of their common behaviour run on each of them.
enum TestReader: CaseIterable, Sendable {
  case queue
  case readonlyQueue
  case pool
  case readonlyPool
  case snapshot

  /// A reader of this kind, with one reading connection, on a database with the rows 1, 2, 3 in the table `t`.
  func open(in folder: TemporaryFolder, _ setUp: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseReader
  {
    let writer = try folder.tablePool()
    try writer.write { db in
      for number in 1...3 { try db.insert(number) }
    }
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    setUp(&configuration)
    switch self {
    case .queue:
      return try DatabaseQueue(path: folder.database, configuration: configuration)
    case .readonlyQueue:
      configuration.readonly = true
      return try DatabaseQueue(path: folder.database, configuration: configuration)
    case .pool:
      return try DatabasePool(path: folder.database, configuration: configuration)
    case .readonlyPool:
      configuration.readonly = true
      return try DatabasePool(path: folder.database, configuration: configuration)
    case .snapshot:
      return try DatabaseSnapshot(path: folder.database, configuration: configuration)
    }
  }
}
