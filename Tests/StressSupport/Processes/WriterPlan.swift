import Foundation
import Tidemark

/// How a process writes at random. It is passed to the process as text.
package struct WriterPlan: Codable, Sendable, CustomStringConvertible {
  package enum Program: String, Codable, CaseIterable, Sendable {
    case poolWithFeed
    case queueWithFeed
    case pool
    case queue

    /// The C interface, without the library.
    case plain

    package static let withFeed: [Self] = [.poolWithFeed, .queueWithFeed]
    package static let withoutFeed: [Self] = [.pool, .queue, .plain]

    package var writesFeed: Bool { self == .poolWithFeed || self == .queueWithFeed }
  }

  package enum Synchronous: String, Codable, CaseIterable, Sendable {
    case off = "OFF"
    case normal = "NORMAL"
    case full = "FULL"
  }

  /// The actions of a process beside transactions that change rows.
  package struct Freedoms: OptionSet, Codable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let checkpoints = Self(rawValue: 1)
    package static let vacuums = Self(rawValue: 2)
    package static let schemaChanges = Self(rawValue: 4)

    /// Transactions of more than a thousand rows.
    package static let largeTransactions = Self(rawValue: 8)
  }

  /// The programs that it consists of, one after the other: it closes the file, and opens it again.
  package var programs: [Program]
  package var seed: UInt64
  package var stream: Int
  package var synchronous: Synchronous
  package var busyMilliseconds: Int
  package var checkpointPageCount: Int
  package var freedoms: Freedoms

  package init(_ programs: [Program], _ freedoms: Freedoms, seed: UInt64, stream: Int) {
    (self.programs, self.freedoms, self.seed, self.stream) = (programs, freedoms, seed, stream)
    var random = RandomNumbers(seed: seed, stream: stream)
    synchronous = Synchronous.allCases[random.below(Synchronous.allCases.count)]
    // A checkpoint and a transaction that reads and then writes may wait for each other.
    busyMilliseconds = [0, 5, 500, 5_000, 5_000][random.below(5)]
    checkpointPageCount = [0, 5, 50, 1_000][random.below(4)]
  }

  /// The program that runs after the file was opened a number of times.
  package func program(_ number: Int) -> Program {
    var random = RandomNumbers(seed: seed &+ UInt64(number), stream: stream)
    return programs[random.below(programs.count)]
  }

  package init(text: String) throws {
    self = try JSONDecoder().decode(WriterPlan.self, from: Data(text.utf8))
  }

  package var description: String {
    let names = [(Freedoms.checkpoints, "checkpoints"), (.vacuums, "vacuums"), (.schemaChanges, "schema changes")]
    let freedoms = names.filter { self.freedoms.contains($0.0) }.map { ", \($0.1)" }.joined()
    return
      "synchronous \(synchronous) busy \(busyMilliseconds) ms, log \(checkpointPageCount) pages\(freedoms)"
  }

  package func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
