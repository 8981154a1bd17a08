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
    case durableGroups = "pool, shared transactions, durability full"
    case groups = "pool, shared transactions"
    case queueGroups = "queue, shared transactions"
    // The controls: these ways are unsafe, and must be detected.
    case unsafePool = "pool, no sync"
    case lyingDisk = "pool, durability full, on a disk that lies"
    case groupsOnLyingDisk = "pool, shared transactions, durability full, on a disk that lies"

    /// Whether acknowledged commits must be there.
    var keepsAll: Bool { durability == .full }

    var isQueue: Bool {
      switch self {
      case .queue, .durableQueue, .queueGroups: true
      case .pool, .durablePool, .groups, .durableGroups, .unsafePool, .lyingDisk, .groupsOnLyingDisk: false
      }
    }

    var durability: Configuration.Durability {
      switch self {
      case .durablePool, .durableQueue, .durableGroups, .lyingDisk, .groupsOnLyingDisk: .full
      case .unsafePool: .unsafeNoSync
      case .pool, .queue, .groups, .queueGroups: Configuration().durability
      }
    }

    var groupsWrites: Bool {
      switch self {
      case .groups, .durableGroups, .queueGroups, .groupsOnLyingDisk: true
      case .pool, .durablePool, .queue, .durableQueue, .unsafePool, .lyingDisk: false
      }
    }

    var isOnLyingDisk: Bool { self == .lyingDisk || self == .groupsOnLyingDisk }

    /// The number of writes in a transaction of SQLite.
    func writeCount(inTransaction number: Int) -> Int { groupsWrites ? 2 + number % 3 : 1 }

    /// Makes the writes of a transaction of SQLite. In a group, the first write and the last one but one throw, and
    /// have other numbers.
    ///
    /// - Parameter insert: Makes the write of a number.
    func write(
      _ numbers: ClosedRange<Int>, _ database: any DatabaseWriter,
      _ insert: @escaping @Sendable (Int, Database) throws -> Void
    ) throws {
      guard groupsWrites else {
        for number in numbers { try database.write { try insert(number, $0) } }
        return
      }
      let errors = StressSupport.Mutex<[any Error]>([])
      var numbers = Array(numbers)
      numbers.insert(numbers[0] + Self.undoneNumbers, at: 0)
      numbers.insert(numbers[1] + 2 * Self.undoneNumbers, at: numbers.count - 1)
      let calls = numbers.map { number in
        ConcurrentCalls.Call {
          do {
            try await database.write { db in
              try insert(number, db)
              if number >= Self.undoneNumbers { throw Undone() }
            }
          } catch is Undone {
          } catch {
            errors.withLock { $0.append(error) }
          }
        }
      }
      try ConcurrentCalls.make(calls, database)
      for error in errors.withLock({ $0 }) { throw error }
    }

    private struct Undone: Error {}

    /// The numbers of writes that throw are greater.
    private static let undoneNumbers = 100_000
  }

  let program: Program
  private let events: [fault_event]

  /// The number of writes after each transaction of SQLite, beginning with none.
  private let counts: [Int]

  // Owns the events.
  private let vfs: FaultVFS
  private let folder: TestFolder

  /// Runs a program that writes to a new file, and records its calls to the disk.
  init(_ program: Program, transactionCount: Int) throws {
    self.program = program
    vfs = FaultVFS()
    folder = try TestFolder()
    if program.isOnLyingDisk { vfs.lie() }
    vfs.record()
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    // Calls are counted: periodic checks of the file would make their number vary.
    configuration.externalCommitDetection = .disabled
    configuration.durability = program.durability
    configuration.groupsWrites = program.groupsWrites
    // A group has no limited time.
    configuration.environment.clock = VirtualClock().clock
    let path = folder.path("db.sqlite")
    let database: any DatabaseWriter =
      program.isQueue
      ? try DatabaseQueue(path: path, configuration: configuration)
      : try DatabasePool(path: path, configuration: configuration)
    try database.write { try $0.execute(sql: World.schema) }
    var counts = [0]
    vfs.mark(0)
    for number in 1...transactionCount {
      let count = counts[number - 1]
      try program.write(count + 1...count + program.writeCount(inTransaction: number), database, World.insert)
      counts.append(count + program.writeCount(inTransaction: number))
      vfs.mark(number)
      if number % 7 == 0, !program.isQueue {
        try database.writeWithoutTransaction { _ = try $0.checkpoint(number % 14 == 0 ? .truncate : .full) }
      }
    }
    try database.close()
    self.counts = counts
    events = vfs.events
  }

  struct Verdict {
    var imageCount = 0
    /// The largest number of acknowledged transactions that were lost.
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
          let count = try transactionCount(in: image)
          let lost = (disk.mark ?? 0) - count
          if disk.mark != nil, lost > 0 {
            verdict.lostImageCount += 1
            verdict.lostMax = max(verdict.lostMax, lost)
            if program.keepsAll { verdict.examples.append("\(words): \(lost) transactions are lost") }
          }
          if lost < -1 { throw PlainDatabase.Failure(description: "\(count) transactions that were not recorded") }
        } catch {
          verdict.damagedImageCount += 1
          verdict.examples.append("\(words): \(error)")
        }
      }
    }
    return verdict
  }

  /// The number of transactions in the files: all from the first one on, each of them complete.
  private func transactionCount(in image: [String: Data]) throws -> Int {
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
      throw PlainDatabase.Failure(description: "not the first writes: \(one), \(two)")
    }
    guard let number = counts.firstIndex(of: one.count) else {
      throw PlainDatabase.Failure(description: "\(one.count) writes: a part of a transaction")
    }
    return number
  }

  // Less than the tables themselves, whose mark is zero.
  private var imageWithoutTables: Int { -1 }
}
