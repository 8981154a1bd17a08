import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Programs that are started, and what they have of the one that starts them; and a process that has no descriptors left
/// (hazards F10, F12 and F13).
@Suite(.serialized) struct ProcessTests {
  /// A program that is started has no descriptor of a database.
  @Test func aProgramThatIsStartedHasNothingOfTheDatabase() throws {
    let folder = try TestFolder()
    let pool = try DatabasePool(path: folder.path("db.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    _ = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    try #require(!folder.openFiles.isEmpty)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/ls")
    process.arguments = ["-l", "/proc/self/fd"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let list = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(list.contains("->"))
    #expect(!list.contains(folder.path))
    // And leaves the database as it was.
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  /// A read that finds no descriptor for its connection throws, and gives its place back.
  @Test func withoutDescriptorsLeftReadsThrowAndWorkAgainLater() async {
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
      // More often than there are readers: none of them keeps a place.
      for _ in 0..<5 {
        do {
          _ = try pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
          fatalError("a read without a descriptor")
        } catch let error as DatabaseError {
          guard error.resultCode == .SQLITE_CANTOPEN, error.isTransient else { fatalError("\(error)") }
        }
      }
      // Who has what it needs goes on.
      try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      descriptors.forEach { close($0) }
      let rows = try pool.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
      guard rows == [1, 2] else { fatalError("\(rows)") }
    }
  }

  /// Zero, one and two are not for databases, even when nobody uses them: what is printed would go into the file.
  @Test func aDatabaseHasNoneOfTheFirstDescriptors() async {
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
