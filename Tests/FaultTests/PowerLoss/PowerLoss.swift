import CFaultVFS
import Foundation
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A program that writes, whose power fails at each call to the disk.
struct PowerLoss {
  /// How the program writes.
  enum Program: String, CaseIterable, Sendable {
    case durablePool = "pool, durability full"
    case pool = "pool"
    case durableQueue = "queue, durability full"
    case queue = "queue"
    // The controls: what they do is not safe, and must be found not to be.
    case unsafePool = "pool, no sync"
    case lyingDisk = "pool, durability full, on a disk that lies"

    /// Whether what was acknowledged must be there.
    var keepsAll: Bool { self == .durablePool || self == .durableQueue || self == .lyingDisk }

    var isControl: Bool { self == .unsafePool || self == .lyingDisk }
  }

  let program: Program
  private let events: [fault_event]
  // Has the events.
  private let vfs: FaultVFS
  private let folder: TestFolder

  /// Has a program write into a new file, and writes down what it asks of its disk.
  init(_ program: Program, writeCount: Int) throws {
    self.program = program
    vfs = FaultVFS()
    folder = try TestFolder()
    if program == .lyingDisk { vfs.lie() }
    vfs.record()
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    // Calls are counted: a look at the file that comes when it comes would be another one each time.
    configuration.noticesCommitsByOthers = .never
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
    /// How many commits were lost at most, of those that were acknowledged.
    var lostMax = 0
    var lostImageCount = 0
    var damagedImageCount = 0
    var examples: [String] = []
  }

  /// Cuts the power at each event, and opens what is left.
  ///
  /// - parameter stride: Of how many events the power fails at one.
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
          if lost < -1 { throw PlainDatabase.Failure(description: "\(count) commits, of which nobody knows") }
        } catch {
          verdict.damagedImageCount += 1
          verdict.examples.append("\(words): \(error)")
        }
      }
    }
    return verdict
  }

  /// How many commits are there: from the first one on, without a hole, each of them as a whole.
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
    // Before the tables were acknowledged, they may be missing.
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
