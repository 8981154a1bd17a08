import CFaultVFS
import Foundation
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A writing program that loses power at each call to the disk.
struct PowerLoss {
  /// The program's way of writing.
  enum Program: String, CaseIterable, Sendable {
    case durablePool = "pool, durability full"
    case pool = "pool"
    case durableQueue = "queue, durability full"
    case queue = "queue"
    // The controls: these ways are unsafe, and must be detected.
    case unsafePool = "pool, no sync"
    case lyingDisk = "pool, durability full, on a disk that lies"

    /// Whether acknowledged commits must be there.
    var keepsAll: Bool { self == .durablePool || self == .durableQueue || self == .lyingDisk }

    var isControl: Bool { self == .unsafePool || self == .lyingDisk }
  }

  let program: Program
  private let events: [fault_event]
  // Owns the events.
  private let vfs: FaultVFS
  private let folder: TestFolder

  /// Runs a program that writes to a new file, and records its calls to the disk.
  init(_ program: Program, writeCount: Int) throws {
    self.program = program
    vfs = FaultVFS()
    folder = try TestFolder()
    if program == .lyingDisk { vfs.lie() }
    vfs.record()
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    // Calls are counted: periodic checks of the file would make their number vary.
    configuration.externalCommitDetection = .disabled
    switch program {
    case .durablePool, .durableQueue, .lyingDisk: configuration.durability = .full
    case .unsafePool: configuration.durability = .unsafeNoSync
    case .pool, .queue: break
    }
    let path = folder.path("db.sqlite")
    let isQueue = program == .queue || program == .durableQueue
    let database: any DatabaseWriter =
      isQueue
      ? try DatabaseQueue(path: path, configuration: configuration)
      : try DatabasePool(path: path, configuration: configuration)
    try database.write { try $0.execute(sql: World.schema) }
    vfs.mark(0)
    for number in 1...writeCount {
      try database.write { try World.insert(number, $0) }
      vfs.mark(number)
      if number % 7 == 0, !isQueue {
        try database.writeWithoutTransaction { _ = try $0.checkpoint(number % 14 == 0 ? .truncate : .full) }
      }
    }
    try database.close()
    events = vfs.events
  }

  struct Verdict {
    var imageCount = 0
    /// The largest number of acknowledged commits that were lost.
    var lostMax = 0
    var lostImageCount = 0
    var damagedImageCount = 0
    var examples: [String] = []
  }

  /// Cuts the power after events, and opens the resulting files.
  ///
  /// - Parameter stride: The power fails after every `stride`th event.
  func verdict(_ folders: Disk.Folders, seed: UInt64, stride: Int = 1) throws -> Verdict {
    var numbers = RandomNumbers(seed: seed)
    var disk = Disk(folders)
    var verdict = Verdict()
    let begin = numbers.below(stride)
    for (index, event) in events.enumerated() {
      guard disk.play(event), (index + begin) % stride == 0 else { continue }
      for damage in Disk.Damage.allCases {
        let image = disk.image(damage, &numbers)
        verdict.imageCount += 1
        let words = "\(program.rawValue), \(folders), \(damage), event \(index) of \(events.count)"
        do {
          let count = try commitCount(in: image)
          let lost = (disk.mark ?? 0) - count
          if disk.mark != nil, lost > 0 {
            verdict.lostImageCount += 1
            verdict.lostMax = max(verdict.lostMax, lost)
            if program.keepsAll { verdict.examples.append("\(words): \(lost) commits are lost") }
          }
          if lost < -1 { throw PlainDatabase.Failure(description: "\(count) commits that were not recorded") }
        } catch {
          verdict.damagedImageCount += 1
          verdict.examples.append("\(words): \(error)")
        }
      }
    }
    return verdict
  }

  /// The number of commits in the files: all from the first one on, each of them complete.
  private func commitCount(in image: [String: Data]) throws -> Int {
    for suffix in ["", "-wal", "-journal", "-shm"] {
      let path = folder.path("image.sqlite" + suffix)
      unlink(path)
      if let bytes = image[folder.path("db.sqlite" + suffix)] { try bytes.write(to: URL(filePath: path)) }
    }
    guard image[folder.path("db.sqlite")] != nil else { return imageWithoutTables }
    let db = try PlainDatabase(path: folder.path("image.sqlite"))
    let report = try db.texts("PRAGMA integrity_check(1)")
    guard report == ["ok"] else { throw PlainDatabase.Failure(description: "\(report)") }
    // Before their creation was acknowledged, the tables may be missing.
    if try db.numbers("SELECT COUNT(*) FROM sqlite_master") == [0] { return imageWithoutTables }
    let one = try db.numbers("SELECT n FROM one ORDER BY n")
    let two = try db.numbers("SELECT n FROM two ORDER BY n")
    guard one == two, one == Array(1..<(one.count + 1)) else {
      throw PlainDatabase.Failure(description: "not the first commits: \(one), \(two)")
    }
    return one.count
  }

  // Less than the tables themselves, whose mark is zero.
  private var imageWithoutTables: Int { -1 }
}
