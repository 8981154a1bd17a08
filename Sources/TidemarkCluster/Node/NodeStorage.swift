import Foundation
import Tidemark

/// The tables of a node beside the replicated ones. They contain its position, which changes with each entry in the
/// same transaction; how often it was opened; and the parts of a group of transactions whose end has not been applied.
///
/// Used by the thread of the node.
struct NodeStorage {
  /// The position that the file stores.
  private(set) var position: LogPosition

  /// How often the file was opened by a node.
  private(set) var incarnation: UInt64

  /// The origin of the last commit of this node, to detect commits by others.
  private var origin: [UInt8]

  private let path: String

  private static let creation = """
    CREATE TABLE tidemark_cluster (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      number INTEGER NOT NULL,
      digest BLOB NOT NULL,
      incarnation INTEGER NOT NULL,
      origin BLOB NOT NULL
    );
    CREATE TABLE tidemark_cluster_part (
      id BLOB NOT NULL,
      number INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (id, number)
    );
    """

  // MARK: - Opening

  /// Opens the storage, in a file of a node or an empty one.
  ///
  /// - Parameter trustsFile: Whether commits by others are accepted, if it is unknown whether there were any.
  init(_ db: Database, path: String, trustsFile: Bool) throws {
    self.path = path
    try db.keepLogOnClose()
    try db.beginTransaction(.immediate)
    do {
      let former = try Self.stored(db)
      if let former {
        (position, incarnation) = (former.position, former.incarnation + 1)
        // A snapshot has no origin.
        if !trustsFile, !former.origin.isEmpty, try !db.isLastCommit(withOrigin: former.origin, isRecent: false) {
          throw ClusterError.foreignWrite(path)
        }
      } else {
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        if count > 0 {
          throw ClusterError.unsuitableFile(
            """
            the file contains tables, and does not belong to a node: begin with an empty file. \
            ClusterDatabase.bootstrap begins a cluster with the contents of a file
            """)
        }
        try db.execute(sql: Self.creation)
        (position, incarnation) = (.start, 1)
      }
      origin = try db.originOfNextCommit()
      try Self.store(db, position, incarnation, origin)
      try db.commit()
    } catch {
      try? db.rollback()  // Why: the first error is thrown.
      throw error
    }
    // The first commit of a log chooses its identity, so it cannot be checked against what was known before.
    try keepOriginProvable(db, isFirst: true)
  }

  private struct Stored {
    var position: LogPosition
    var incarnation: UInt64
    var origin: [UInt8]
  }

  private static func stored(_ db: Database) throws -> Stored? {
    guard try db.tableExists("tidemark_cluster") else { return nil }
    guard let row = try Row.fetchOne(db, sql: "SELECT number, digest, incarnation, origin FROM tidemark_cluster"),
      let digest = LogDigest(row["digest"] as Data)
    else { throw ClusterError.unsuitableFile("the table tidemark_cluster of the file is damaged: remove the file") }
    return Stored(
      position: LogPosition(number: UInt64(bitPattern: row["number"]), digest: digest),
      incarnation: UInt64(bitPattern: row["incarnation"]), origin: Array(row["origin"] as Data))
  }

  /// The position of a database; nil if it does not belong to a node.
  static func position(_ db: Database) throws -> LogPosition? { try stored(db)?.position }

  /// Removes what belongs to the node from a copy of its file, so that any node can begin with it.
  ///
  /// - Returns: The position of the copy.
  static func becomeSnapshot(_ db: Database) throws -> LogPosition {
    guard let position = try position(db) else {
      throw ClusterError.unsuitableFile("the file does not belong to a node")
    }
    try store(db, position, 0, [])
    return position
  }

  /// Makes a copy of any database the snapshot of a position.
  static func becomeSnapshot(_ db: Database, at position: LogPosition) throws {
    try db.execute(
      sql: "DROP TABLE IF EXISTS tidemark_cluster; DROP TABLE IF EXISTS tidemark_cluster_part; \(creation)")
    try store(db, position, 0, [])
  }

  private static func store(
    _ db: Database, _ position: LogPosition, _ incarnation: UInt64, _ origin: [UInt8]
  ) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO tidemark_cluster (id, number, digest, incarnation, origin) VALUES (1, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET number = excluded.number, digest = excluded.digest,
          incarnation = excluded.incarnation, origin = excluded.origin
        """)
    try statement.execute(arguments: [
      Int64(bitPattern: position.number), Data(position.digest.bytes), Int64(bitPattern: incarnation), Data(origin),
    ])
  }

  // MARK: - Transactions

  /// Throws if another program has written since the last commit of this node. To be called in a transaction.
  func checkForeignWrites(_ db: Database) throws {
    // A snapshot has no origin.
    if origin.isEmpty { return }
    if try !db.isLastCommit(withOrigin: origin, isRecent: true) { throw ClusterError.foreignWrite(path) }
  }

  /// Stores a position, in the transaction that leads to it.
  ///
  /// - Returns: The origin of the commit: see ``didCommit(_:at:origin:)``.
  func willCommit(_ db: Database, at position: LogPosition, removingParts: Bool) throws -> [UInt8] {
    if removingParts { try Self.removeParts(db) }
    let origin = try db.originOfNextCommit()
    try Self.store(db, position, incarnation, origin)
    return origin
  }

  /// The transaction was committed.
  mutating func didCommit(_ db: Database, at position: LogPosition, origin: [UInt8]) throws {
    (self.position, self.origin) = (position, origin)
    try keepOriginProvable(db)
  }

  /// After the log was begun again, the origin of the commit that did this would prove nothing at the next opening.
  private mutating func keepOriginProvable(_ db: Database, isFirst: Bool = false) throws {
    var isFirst = isFirst
    // After a checkpoint, the next commit begins the log again, too. It may have followed the commit that did.
    try db.deferringCheckpoints {
      while try db.hasRestartedLog(since: origin) {
        try commitOrigin(db, isFirst: isFirst)
        isFirst = false
      }
    }
  }

  /// Commits a new origin. If the commit fails, the former one stays.
  private mutating func commitOrigin(_ db: Database, isFirst: Bool) throws {
    var new = origin
    try db.inTransaction(.immediate) {
      if !isFirst { try checkForeignWrites(db) }
      new = try willCommit(db, at: position, removingParts: false)
      return .commit
    }
    origin = new
  }

  /// The file was replaced by the snapshot of a position.
  ///
  /// After an error, the file has no origin until the next commit, like the snapshot.
  mutating func didReplace(_ db: Database, at position: LogPosition) throws {
    (self.position, origin) = (position, [])
    try commitOrigin(db, isFirst: true)
    try keepOriginProvable(db, isFirst: true)
  }

  // MARK: - Entries

  /// A change of the database makes the parts of groups that have begun before useless: their ends are refused.
  private static func removeParts(_ db: Database) throws {
    if try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM tidemark_cluster_part)") == true {
      try db.execute(sql: "DELETE FROM tidemark_cluster_part")
    }
  }

  /// The changes of entries that are applied together.
  struct Batch {
    private(set) var rowCount = 0
    private var elements: [TransactionChanges.Element] = []

    /// Applies an entry, or collects its changes.
    mutating func apply(_ payload: ClusterPayload, _ db: Database) throws {
      switch payload.content {
      case .transactions(let transactions):
        for transaction in transactions { elements += transaction.changes.elements }
        try NodeStorage.removeParts(db)
      case .part(let group, let index, let bytes):
        try db.execute(
          sql: "INSERT INTO tidemark_cluster_part (id, number, bytes) VALUES (?, ?, ?)",
          arguments: [Data(group.bytes), Int64(index), Data(bytes)])
      case .end(let group, let partCount, let digest):
        let parts = try Data.fetchAll(
          db, sql: "SELECT bytes FROM tidemark_cluster_part WHERE id = ? ORDER BY number",
          arguments: [Data(group.bytes)])
        let bytes = parts.flatMap(Array.init)
        guard parts.count == Int(partCount), LogDigest(of: bytes) == digest else {
          throw ClusterError.historyDiverged("the parts of group \(group) are incomplete")
        }
        for transaction in try ClusterPayload.transactions(decoding: bytes) {
          elements += transaction.changes.elements
        }
        try NodeStorage.removeParts(db)
      case .snapshot: preconditionFailure("The node installs a snapshot instead of applying its entry")
      }
    }

    /// Applies what was collected.
    mutating func finish(_ db: Database) throws {
      if elements.isEmpty { return }
      for case .row in elements { rowCount += 1 }
      let collected = elements
      elements = []
      try db.applyReplicatedChanges(collected)
    }
  }
}
