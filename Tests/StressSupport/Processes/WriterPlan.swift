import Foundation
import Tidemark

/// How a process writes. It is passed to the process as text.
package struct WriterPlan: Codable, Sendable {
  package enum Program: String, Codable, CaseIterable, Sendable {
    case poolWithFeed
    case queueWithFeed
    case pool
    case queue

    /// The C interface, without the library.
    case plain

    package var writesFeed: Bool { self == .poolWithFeed || self == .queueWithFeed }
  }

  package enum Synchronous: String, Codable, CaseIterable, Sendable {
    case off = "OFF"
    case normal = "NORMAL"
    case full = "FULL"
  }

  /// What a process does beside transactions that change rows.
  package struct Freedoms: OptionSet, Codable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let checkpoints = Self(rawValue: 1)
    package static let vacuums = Self(rawValue: 2)
    package static let schemaChanges = Self(rawValue: 4)

    /// Transactions of more than a thousand rows.
    package static let largeTransactions = Self(rawValue: 8)
  }

  package var program: Program
  package var seed: UInt64
  package var stream: Int
  package var synchronous: Synchronous
  package var busyMilliseconds: Int
  package var checkpointPageCount: Int
  package var freedoms: Freedoms

  package init(_ program: Program, _ freedoms: Freedoms, seed: UInt64, stream: Int) {
    (self.program, self.freedoms, self.seed, self.stream) = (program, freedoms, seed, stream)
    var random = RandomNumbers(seed: seed, stream: stream)
    synchronous = Synchronous.allCases[random.below(Synchronous.allCases.count)]
    busyMilliseconds = [0, 5, 500, 60_000, 60_000][random.below(5)]
    checkpointPageCount = [0, 5, 50, 1_000][random.below(4)]
  }

  package init(text: String) throws {
    self = try JSONDecoder().decode(WriterPlan.self, from: Data(text.utf8))
  }

  package func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
