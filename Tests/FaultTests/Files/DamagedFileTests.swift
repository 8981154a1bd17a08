import Foundation
import StressSupport
import Testing
import Tidemark

/// Damaged files (hazards F7, F8 and F9).
@Suite struct DamagedFileTests {
  private let folder: TestFolder
  private var path: String { folder.path("db.sqlite") }

  init() throws { folder = try TestFolder() }

  /// A database after a crash, with fifty rows in its log.
  private func makeCrashedDatabase() throws {
    let pool = try DatabasePool(path: folder.path("origin.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    for number in 1...50 { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) } }
    try folder.copyDatabase(folder.path("origin.sqlite"), to: "db.sqlite")
    try FileManager.default.copyItem(atPath: folder.path("origin.sqlite-shm"), toPath: path + "-shm")
    try pool.close()
  }

  private func rows() throws -> [Int] {
    try DatabasePool(path: path).read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
  }

  private func overwrite(_ file: String, at offset: UInt64, with byte: UInt8, count: Int) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: file))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: Data(repeating: byte, count: count))
    try handle.close()
  }

  @Test func damagedWALIndexIsRebuilt() throws {
    try makeCrashedDatabase()
    try overwrite(path + "-shm", at: 0, with: 0xA5, count: 4096)
    #expect(try rows() == Array(1...50))
  }

  @Test func missingWALIndexIsRebuilt() throws {
    try makeCrashedDatabase()
    try FileManager.default.removeItem(atPath: path + "-shm")
    #expect(try rows() == Array(1...50))
  }

  /// A limit: the rows after the damage are lost, and this cannot be detected. The rows before it remain.
  @Test func damagedWALKeepsTheCommitsBeforeTheDamage() throws {
    try makeCrashedDatabase()
    let size = try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
    try overwrite(path + "-wal", at: UInt64(size / 2), with: 0xA5, count: 64)
    let rows = try rows()
    #expect(rows.count < 50)
    #expect(rows == Array(1..<(rows.count + 1)))
  }

  @Test func truncatedWALKeepsCommittedPrefix() throws {
    try makeCrashedDatabase()
    let size = try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
    truncate(path + "-wal", size / 2 + 17)
    let rows = try rows()
    #expect(rows.count < 50)
    #expect(rows == Array(1..<(rows.count + 1)))
  }
}
