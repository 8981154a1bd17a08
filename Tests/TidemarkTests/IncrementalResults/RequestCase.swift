import Foundation
import TestSupport
import Testing

@testable import Tidemark

/// An element of any request.
struct RequestItem: Equatable, Identifiable, FetchableRecord, Sendable, CustomStringConvertible {
  var id: String
  var text: String

  init(row: Row) {
    id = row.first.map { "\($0.1)" } ?? ""
    text = row.map { "\($0) \($1)" }.joined(separator: ", ")
  }

  var description: String { text }
}

/// Observes a request, and applies the differences to a list.
final class RequestFollower<Item: FetchableRecord & Equatable & Identifiable & Sendable>: Sendable
where Item.ID: Sendable {
  let list = Locked<[Item]>([])
  let count = Locked(0)
  let failure = Locked<(any Error)?>(nil)
  let isOver = Locked(false)
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ request: some FetchRequest<Item> & Sendable, _ writer: some DatabaseReader) {
    let (list, count, failure, isOver) = (list, count, failure, isOver)
    let differences = request.differencesByRow().values(in: writer)
    task.update {
      $0 = Task {
        do {
          for try await difference in differences {
            list.update { $0.apply(difference) }
            count.update { $0 += 1 }
          }
        } catch {
          failure.update { $0 = error }
        }
        isOver.update { $0 = true }
      }
    }
  }

  /// Waits until the list is the expected one, or the sequence has ended.
  ///
  /// - Returns: Whether the list is the expected one.
  func becomes(_ expected: [Item], file: String = #fileID, line: Int = #line) async -> Bool {
    let isExpected = { self.count.value > 0 && self.list.value == expected }
    // A hang means that the list never becomes the expected one: the caller reports it, with the lists.
    try? await Wait.until("a list of \(expected.count)", file: file, line: line) { isExpected() || isOver.value }
    return isExpected()
  }

  deinit { task.value?.cancel() }
}

/// A request, the changes of the database step by step, and the result of the request after each step.
struct RequestCase: Sendable, CustomStringConvertible {
  var name: String
  var setup: String
  var sql: String
  var arguments: StatementArguments = []
  var expected: String?
  var steps: [String]
  var description: String { name }

  func run(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { try $0.execute(sql: setup) }
    try await run(on: writer) { step in
      if step.hasPrefix("!") {
        try await writer.writeWithoutTransaction { try $0.execute(sql: String(step.dropFirst())) }
      } else {
        try await writer.write { try $0.execute(sql: step) }
      }
    }
    try writer.close()
  }

  func run(on writer: any DatabaseWriter, _ body: (String) async throws -> Void) async throws {
    let request = SQLRequest<RequestItem>(sql: sql, arguments: arguments)
    let oracle = SQLRequest<RequestItem>(sql: expected ?? sql, arguments: arguments)
    let follower = RequestFollower(request, writer)
    let first = try await writer.writeWithoutTransaction { try oracle.fetchAll($0) }
    #expect(await follower.becomes(first), "\(name): first")
    for step in steps {
      try await body(step)
      let result = try await writer.writeWithoutTransaction { try oracle.fetchAll($0) }
      if await !follower.becomes(result) {
        Issue.record(
          """
          \(name), after \(step.prefix(150)): failure \(String(describing: follower.failure.value))
          seen \(String(describing: follower.list.value).prefix(600))
          want \(String(describing: result).prefix(600))
          """)
        return
      }
    }
  }
}
