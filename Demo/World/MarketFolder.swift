import Foundation

/// The folder of a market's database, which belongs to one process.
///
/// The owner holds a lock on a file in it, which the system releases when the process ends. A folder without a lock
/// was left behind by a process that was killed: the next market removes it.
struct MarketFolder: Sendable {
  let path: String

  /// Holds the lock while it is open.
  private let lock: Int32

  static let prefix = "tidemark-market-"
  private static let lockName = "/owner.lock"

  /// Creates a folder, and removes those without an owner.
  ///
  /// - Throws: `Failure` if the folder cannot be created.
  init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    Self.removeStaleFolders(in: parent)
    while true {
      let path = parent.appending(path: Self.prefix + UUID().uuidString).path()
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let lock = open(path + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      if lock < 0 { throw Failure.system("open") }
      // Between creation and lock, another process may have removed the folder as abandoned.
      if flock(lock, LOCK_EX | LOCK_NB) == 0, Self.isFile(lock, at: path + Self.lockName) {
        self.path = path
        self.lock = lock
        return
      }
      close(lock)
    }
  }

  /// Removes the folder and its contents.
  func remove() {
    // The next market retries to remove it.
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  private static func removeStaleFolders(in parent: URL) {
    // A folder that cannot be read contains nothing that could be removed.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path())) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = parent.appending(path: name).path()
      // Without the lock file, the folder belongs to no market, or to one that is being created.
      let lock = open(path + lockName, O_RDWR | O_CLOEXEC)
      if lock < 0 { continue }
      defer { close(lock) }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (one, other) = (stat(), stat())
    return fstat(descriptor, &one) == 0 && stat(path, &other) == 0 && one.st_ino == other.st_ino
      && one.st_dev == other.st_dev
  }
}
