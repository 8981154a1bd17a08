import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Started programs, and the descriptors that they inherit; and a process without free descriptors
/// (hazards F10, F12 and F13).
@Suite(.serialized) struct ProcessTests {
  /// A started program inherits no descriptor of a database.
  @Test func childProcessesInheritNoDescriptors() throws {
    let folder = try TestFolder()
    let pool = try DatabasePool(path: folder.path("db.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    _ = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    try #require(!folder.openFiles.isEmpty)
    let list = try Child.inheritedDescriptors()
    #expect(list.contains("->"))
    #expect(!list.contains(folder.path))
    // And the database remains unchanged.
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  /// A read that finds no descriptor for its connection throws, and frees its place in the pool.
  @Test func readsThrowWithoutDescriptorsAndRecover() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 200, rlim_max: 200)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let folder = try TestFolder()
      var configuration = Configuration()
      configuration.maximumReaderCount = 2
      let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
      try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
      var descriptors: [CInt] = []
      while true {
        let descriptor = open("/dev/null", O_RDONLY)
        if descriptor < 0 { break }
        descriptors.append(descriptor)
      }
      // More often than there are readers: none of them keeps its place.
      for _ in 0..<5 {
        do {
          _ = try pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
          fatalError("a read without a descriptor")
        } catch let error as DatabaseError {
          guard error.resultCode == .SQLITE_CANTOPEN, error.isTransient else { fatalError("\(error)") }
        }
      }
      // Accesses with an open connection continue.
      try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      descriptors.forEach { close($0) }
      let rows = try pool.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
      guard rows == [1, 2] else { fatalError("\(rows)") }
    }
  }

  /// Descriptors 0, 1 and 2 are not used for databases, even when free: output would be written into the file.
  @Test func databaseDoesNotUseStandardDescriptors() async {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      close(0)
      let pool = try DatabasePool(path: folder.path("db.sqlite"))
      try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0")
      guard target?.hasPrefix(folder.path) != true else { fatalError("\(target ?? "")") }
    }
  }
}
