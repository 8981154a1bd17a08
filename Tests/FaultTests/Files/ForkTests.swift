import CFaultVFS
import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// In a child made by `fork`, databases of the parent throw, and are not touched; one that is opened there works (hazard
/// F10).
@Suite(.serialized) struct ForkTests {
  @Test func aDatabaseIsNotUsableInAChildMadeByFork() async {
    await #expect(processExitsWith: .success) {
      try Databases().fork()
    }
  }

  /// Neither does the child wait for those who use the database when it is made: they are not there.
  @Test func aChildMadeByForkWaitsForNobody() async {
    await #expect(processExitsWith: .success) {
      let databases = try Databases()
      let users = try databases.use()
      try databases.fork()
      users.end()
    }
  }
}

/// What a process has open when it is forked.
private struct Databases {
  private let folder: TestFolder
  private let pool: DatabasePool
  private let dbQueue: DatabaseQueue
  private let snapshot: DatabaseSnapshot
  private let snapshots: DatabaseSnapshotPool

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    pool = try DatabasePool(path: folder.database, configuration: configuration)
    dbQueue = try DatabaseQueue(path: folder.path("queue.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    _ = try pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    snapshot = try pool.makeSnapshot()
    snapshots = try pool.makeSnapshotPool()
  }

  /// Those who use them, and others who wait for them.
  struct Users {
    fileprivate let mayEnd = DispatchSemaphore(value: 0)
    fileprivate let hasEnded = DispatchSemaphore(value: 0)
    fileprivate var count = 0

    func end() {
      for _ in 0..<count { mayEnd.signal() }
      for _ in 0..<count { hasEnded.wait() }
    }
  }

  func use() throws -> Users {
    var users = Users()
    let isInside = DispatchSemaphore(value: 0)
    let stay: @Sendable (Database) -> Void = { [users] _ in
      isInside.signal()
      users.mayEnd.wait()
    }
    let accesses: [@Sendable () throws -> Void] = [
      { [pool] in pool.writeWithoutTransaction(stay) }, { [dbQueue] in dbQueue.inDatabase(stay) },
      { [pool] in try pool.read(stay) }, { [snapshot] in try snapshot.read(stay) },
      { [snapshots] in try snapshots.read(stay) },
      // It waits for the others.
      { [pool] in try pool.barrierWriteWithoutTransaction { try $0.execute(sql: "DELETE FROM t WHERE n = 9") } },
    ]
    for (number, access) in accesses.enumerated() {
      Thread.detachNewThread { [users] in
        do { try access() } catch { fatalError("\(error)") }
        users.hasEnded.signal()
      }
      if number < accesses.count - 1 { isInside.wait() }
    }
    users.count = accesses.count
    return users
  }

  /// Makes a child, and traps when something is not as it must be there, or here afterwards.
  func fork() throws {
    let child = fault_fork()
    if child == 0 { _exit(complaintOfChild()) }
    // It is not to wait for good, and neither are we. A signal it may not hear.
    let watch = Thread {
      sleep(60)
      kill(child, SIGKILL)
    }
    watch.start()
    var status: CInt = 0
    waitpid(child, &status, 0)
    guard status == 0 else { fatalError("the child complains: \(status >> 8), signal \(status & 127)") }
    // The parent goes on. Who writes may wait for the users.
    let rows = try DatabaseQueue(path: folder.database).read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
    guard rows == [1, 2] else { fatalError("\(rows)") }
    guard !folder.openFiles.isEmpty else { fatalError("nothing is open any more") }
  }

  /// - returns: Zero when all is as it must be, else the number of what is not.
  private func complaintOfChild() -> CInt {
    let insertion = "INSERT INTO t VALUES (9)"
    let accesses: [() throws -> Void] = [
      { try pool.write { try $0.execute(sql: insertion) } },
      { _ = try pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") } },
      { try pool.writeWithoutTransaction { try $0.execute(sql: insertion) } },
      { try pool.barrierWriteWithoutTransaction { try $0.execute(sql: insertion) } },
      { _ = try pool.unsafeRead { try Int.fetchOne($0, sql: "SELECT n FROM t") } },
      { _ = try pool.unsafeReentrantRead { try Int.fetchOne($0, sql: "SELECT n FROM t") } },
      { try pool.unsafeReentrantWrite { try $0.execute(sql: insertion) } },
      { _ = try pool.makeSnapshotPool() },
      { try pool.vacuum() },
      { try pool.backup(to: DatabaseQueue()) },
      { try concurrentRead() },
      { _ = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT 1") } },
      { try dbQueue.write { try $0.execute(sql: insertion) } },
      { _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT n FROM t") } },
      { _ = try snapshots.read { try Int.fetchOne($0, sql: "SELECT n FROM t") } },
    ]
    for (number, access) in accesses.enumerated() where !isRefused(access) { return CInt(number + 1) }
    pool.interrupt()
    pool.releaseMemory()
    pool.invalidateReadOnlyConnections()
    dbQueue.releaseMemory()
    do {
      // Closing does nothing: the files are the parent's.
      try snapshot.close()
      try snapshots.close()
      try pool.close()
      try dbQueue.close()
      let own = try DatabasePool(path: folder.database)
      try own.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      try own.close()
    } catch {
      return 100
    }
    return 0
  }

  private func isRefused(_ access: () throws -> Void) -> Bool {
    do {
      try access()
      return false
    } catch let error as DatabaseError {
      return error.message?.contains("fork()") == true
    } catch {
      return false
    }
  }

  private func concurrentRead() throws {
    let isTold = DispatchSemaphore(value: 0)
    let outcome = StressSupport.Mutex<Result<Void, any Error>>(.success(()))
    pool.spawnConcurrentRead { result in
      outcome.withLock { $0 = result.map { _ in } }
      isTold.signal()
    }
    isTold.wait()
    try outcome.withLock { $0 }.get()
  }
}
