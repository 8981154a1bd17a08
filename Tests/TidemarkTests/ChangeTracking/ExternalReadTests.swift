import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Change streams that read external commits, with a reader whose results are planned.
@Suite(.untilItHangs) struct ExternalReadTests {
  /// Returns planned results, and then nothing.
  private final class PlannedReader: ExternalTransactionsReader {
    typealias Step = @Sendable () throws -> ExternalTransactions?

    private let steps: Mutex<[Step]>
    let readCount = Mutex(0)
    let forgetCount = Mutex(0)

    init(_ steps: [Step]) { self.steps = Mutex(steps) }

    func restart(_ db: Database, region: DatabaseRegion) {}

    func next(_ db: Database, _ request: ExternalTransactions.Request) throws -> ExternalTransactions? {
      readCount.withLock { $0 += 1 }
      let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return if let step { try step() } else { ExternalTransactions() }
    }

    func forget() { forgetCount.withLock { $0 += 1 } }
  }

  private struct Extension: WriterExtension, ExternalTransactionsProvider {
    private final class NoStoredChanges: StoredChangesReader {
      func begin(with db: Database) -> Bool { true }
      func forget() {}
      func next(_ db: Database) -> StoredChanges? { .unknown }
    }

    let reader: PlannedReader

    func begin(on db: Database) {}
    func storedChangesReader(_ broker: ChangeBroker) -> any StoredChangesReader { NoStoredChanges() }
    func externalTransactionsReader(_ broker: ChangeBroker) -> any ExternalTransactionsReader { reader }
  }

  private static func transaction(_ sql: String) -> TransactionChanges {
    TransactionChanges(microsecondsSince1970: 0, elements: [.schema(sql: sql)])
  }

  /// A pool, a stream of it, and another connection that has made a commit.
  private struct Stream {
    let database: Observed.Opened
    let stream: ChangeStream
    let reader: PlannedReader

    init(_ steps: [PlannedReader.Step]) async throws {
      reader = PlannedReader(steps)
      var configuration = Configuration()
      configuration.writerExtension = Extension(reader: reader)
      database = try Observed.pool.open(configuration)
      stream = try await database.writer.changes()
      let other = try DatabaseQueue(path: database.writer.path)
      try await other.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    }

    func next() async throws -> TransactionChanges {
      var changes = stream.makeAsyncIterator()
      return try #require(try await changes.next())
    }

    /// The rows of an own commit that follows.
    func linesOfOwnCommit() async throws -> [String] {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
      return try await next().lines
    }
  }

  private static let ownRows = ["INSERT team [2]: id 2, name \"Blue\""]

  @Test func `external commits that cannot be read are unknown`() async throws {
    let stream = try await Stream([{ throw Planned() }])
    let unknown = try await stream.next()
    #expect(unknown.completeness == .incomplete(.externalCommit) && unknown.elements.isEmpty)
    // They must not be received later.
    #expect(stream.reader.forgetCount.withLock { $0 } > 0)
    #expect(try await stream.linesOfOwnCommit() == Self.ownRows)
  }

  @Test func `external commits that are not read because of a cancellation are read later`() async throws {
    let reading = Locked<Task<TransactionChanges?, any Error>?>(nil)
    let stream = try await Stream([
      {
        reading.value?.cancel()
        throw CancellationError()
      },
      { ExternalTransactions(transactions: [Self.transaction("one")]) },
    ])
    let (mayBegin, changes) = (Moment(), stream.stream)
    let task = Task {
      await mayBegin.reached()
      var iterator = changes.makeAsyncIterator()
      return try await iterator.next()
    }
    reading.update { $0 = task }
    mayBegin.happen()
    #expect(try await task.value == nil)
    #expect(try await stream.next().lines == ["one"])
  }

  @Test func `the transactions before unknown ones are received first`() async throws {
    let stream = try await Stream([
      { ExternalTransactions(transactions: [Self.transaction("one"), Self.transaction("two")], ending: .unknown) },
      { ExternalTransactions(ending: .unknown) },
    ])
    #expect(try await stream.next().lines == ["one"])
    #expect(stream.reader.forgetCount.withLock { $0 } > 0)
    #expect(try await stream.next().lines == ["two"])
    #expect(try await stream.next().completeness == .incomplete(.externalCommit))
    #expect(try await stream.linesOfOwnCommit() == Self.ownRows)
  }

  @Test func `a read continues after transactions that do not concern the stream`() async throws {
    let stream = try await Stream([
      { ExternalTransactions(ending: .more) }, { ExternalTransactions(transactions: [Self.transaction("one")]) },
    ])
    #expect(try await stream.next().lines == ["one"])
    #expect(try await stream.linesOfOwnCommit() == Self.ownRows)
  }

  @Test func `external commits are unknown if others are made during each read`() async throws {
    let stream = try await Stream(Array(repeating: { nil }, count: 8))
    #expect(try await stream.next().completeness == .incomplete(.externalCommit))
    #expect(stream.reader.readCount.withLock { $0 } == 8)
    #expect(stream.reader.forgetCount.withLock { $0 } > 0)
    #expect(try await stream.linesOfOwnCommit() == Self.ownRows)
  }

  @Test func `an element that follows a later version has no version`() async throws {
    let later = DatabaseVersion(1_000)
    let stream = try await Stream([
      {
        ExternalTransactions(transactions: [
          TransactionChanges(versions: later...later, microsecondsSince1970: 0, elements: [.schema(sql: "one")])
        ])
      }
    ])
    #expect(try await stream.next().version == later)
    try await stream.database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    let own = try await stream.next()
    #expect(own.version == nil)
    #expect(own.lines == Self.ownRows)
  }
}
