import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A full disk (hazards D1 and D2), and one that cannot be written (hazard F14).
///
/// The disks are real ones, in memory, which require root: without it, these tests are skipped, and only those with
/// the simulated file system remain.
@Suite(.serialized, .enabled(if: SmallDisk.isAvailable)) struct FullDiskTests {
  private func insert(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO t VALUES (zeroblob(2000))")
  }

  @Test func fullDiskRefusesWritesUntilSpaceIsFreed() throws {
    let disk = try SmallDisk(kilobytes: 700)
    let pool = try DatabasePool(path: disk.path("db.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
    var count = 0
    var failure: DatabaseError?
    while failure == nil, count < 10_000 {
      do {
        try pool.write(insert)
        count += 1
      } catch let error as DatabaseError {
        failure = error
      }
    }
    #expect(count > 10)
    #expect(failure?.resultCode == .SQLITE_FULL)
    #expect(failure?.isTransient == true)
    // Nothing is lost, reads succeed, and a write fails as the first one did.
    let rowCount = { try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } }
    #expect(try rowCount() == count)
    let again = #expect(throws: DatabaseError.self) { try pool.write(insert) }
    #expect(again?.resultCode == .SQLITE_FULL)
    #expect(try rowCount() == count)
    // There is room again.
    try disk.grow(kilobytes: 4000)
    for _ in 0..<20 { try pool.write(insert) }
    #expect(try rowCount() == count + 20)
    #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    try pool.close()
  }

  @Test func openingRequiresSpaceForTheWAL() throws {
    let disk = try SmallDisk(kilobytes: 300)
    try DatabasePool(path: disk.path("db.sqlite")).write { try $0.execute(sql: "CREATE TABLE t (x)") }
    disk.fill()
    let error = #expect(throws: DatabaseError.self) {
      try DatabasePool(path: disk.path("db.sqlite")).read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }
    #expect(error?.message?.contains("need disk space for the file") == true, "\(String(describing: error))")
  }

  @Test func readOnlyDiskErrorIsExplained() throws {
    let disk = try SmallDisk(kilobytes: 700)
    let path = disk.path("db.sqlite")
    try DatabasePool(path: path).write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    try disk.makeReadonly()
    var configuration = Configuration()
    configuration.readonly = true
    let error = #expect(throws: DatabaseError.self) { try DatabaseQueue(path: path, configuration: configuration) }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.message?.contains("immutable=1") == true, "\(String(describing: error))")
    // One of the suggestions in the message.
    let dbQueue = try DatabaseQueue(uri: "file:\(path)?immutable=1", configuration: configuration)
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)
    try dbQueue.close()
  }
}

/// A disk in memory, with a given size.
final class SmallDisk {
  private let folder: TestFolder
  private var mountPoint: String { folder.path("disk") }

  static let isAvailable: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk(kilobytes: 100) else { return false }
    return FileManager.default.isWritableFile(atPath: disk.mountPoint)
  }()

  init(kilobytes: Int) throws {
    folder = try TestFolder()
    try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", mountPoint)
  }

  deinit {
    // A disk that remains mounted is visible in the system's list.
    try? Self.run("umount", "-l", mountPoint)
  }

  func path(_ name: String) -> String { "\(mountPoint)/\(name)" }

  func grow(kilobytes: Int) throws { try Self.run("mount", "-o", "remount,size=\(kilobytes)k", mountPoint) }

  func makeReadonly() throws { try Self.run("mount", "-o", "remount,ro", mountPoint) }

  /// Fills the disk.
  func fill() {
    let descriptor = open(path("filler"), O_CREAT | O_WRONLY, 0o600)
    let bytes = [UInt8](repeating: 1, count: 512)
    while write(descriptor, bytes, bytes.count) > 0 {}
    close(descriptor)
  }

  private static func run(_ command: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw PlainDatabase.Failure(description: "\(command) \(arguments): \(process.terminationStatus)")
    }
  }
}
