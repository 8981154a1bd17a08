import Testing

import Tidemark
@testable import TidemarkEssentials

/// Random nested transactions and savepoints behave as a model of them.
@Suite struct TransactionModelTests {
  @Test func randomNestedTransactionsMatchTheModel() throws {
    var generator = SeededRandom()
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY)") }
    var model = Model()
    for _ in 0..<400 {
      let steps = (0..<3).map { _ in Step.random(depth: 0, &generator) }
      try dbQueue.inDatabase { db throws in
        for step in steps {
          let expected = Outcome { try model.run(step) }
          let actual = Outcome { try db.run(step) }
          #expect(actual == expected, "\(step)")
        }
        #expect(!db.isInsideTransaction)
        #expect(db.transaction.scopes.depth == 0)
        #expect(try Set(Int.fetchAll(db, sql: "SELECT a FROM t")) == model.rows)
      }
    }
  }
}

/// An operation in a transaction.
private indirect enum Step {
  case insert(Int)
  case delete(Int)
  case fail(Int)
  case rollback
  case conflict
  case caught(Step)
  case transaction([Step], Database.TransactionCompletion)
  case savepoint([Step], Database.TransactionCompletion)
  case readOnly([Step])

  static func random(depth: Int, _ generator: inout SeededRandom) -> Step {
    func steps() -> [Step] {
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth + 1, &generator) }
    }
    let completion = generator.pick([Database.TransactionCompletion.commit, .commit, .rollback])
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: return .insert(.random(in: 0..<20, using: &generator))
    case 30..<45: return .delete(.random(in: 0..<20, using: &generator))
    case 45..<50: return .fail(.random(in: 0..<1000, using: &generator))
    case 50..<53: return depth == 0 ? .delete(0) : .rollback
    case 53..<56: return depth == 0 ? .delete(0) : .conflict
    case 56..<62 where depth < 6: return .caught(random(depth: depth + 1, &generator))
    case 62..<70 where depth < 6: return .transaction(steps(), completion)
    case 70..<95 where depth < 6: return .savepoint(steps(), completion)
    case 95... where depth < 6: return .readOnly(steps())
    default: return .delete(1)
    }
  }
}

/// The outcome of a step.
private enum Outcome: Equatable {
  case fine
  case planned(Int)
  case code(ResultCode)

  init(_ body: () throws -> Void) {
    do {
      try body()
      self = .fine
    } catch let error as Planned {
      self = .planned(error.number)
    } catch let error as DatabaseError {
      self = .code(error.resultCode)
    } catch {
      preconditionFailure("Neither the model nor the library throws \(error)")
    }
  }
}

extension Database {
  fileprivate func run(_ step: Step) throws {
    switch step {
    case .insert(let value): try execute(sql: "INSERT OR IGNORE INTO t VALUES (?)", arguments: [value])
    case .delete(let value): try execute(sql: "DELETE FROM t WHERE a = ?", arguments: [value])
    case .fail(let number): throw Planned(number: number)
    case .rollback: try execute(sql: "ROLLBACK")
    case .conflict: try execute(sql: "INSERT OR ROLLBACK INTO t VALUES (-1), (-1)")
    case .caught(let step): _ = Outcome { try run(step) }
    case .transaction(let steps, let completion):
      try inTransaction {
        for step in steps { try run(step) }
        return completion
      }
    case .savepoint(let steps, let completion):
      try inSavepoint {
        for step in steps { try run(step) }
        return completion
      }
    case .readOnly(let steps):
      try readOnly { for step in steps { try run(step) } }
    }
  }
}

/// The expected outcome.
private struct Model {
  private(set) var rows: Set<Int> = []
  private var committedRows: Set<Int> = []
  private var depth = 0
  private var readOnlyDepth = 0
  private var isOpen = false

  private static func error(_ code: ResultCode) -> DatabaseError { DatabaseError(resultCode: code) }

  private func write() throws {
    try statement()
    if readOnlyDepth > 0 { throw Self.error(.SQLITE_READONLY) }
  }

  private func statement() throws {
    if depth > 0, !isOpen { throw Self.error(.SQLITE_ABORT) }
  }

  private mutating func end() {
    isOpen = false
    rows = committedRows
  }

  mutating func run(_ step: Step) throws {
    switch step {
    case .insert(let value):
      try write()
      rows.insert(value)
    case .delete(let value):
      try write()
      rows.remove(value)
    case .fail(let number):
      throw Planned(number: number)
    case .rollback:
      try statement()
      if !isOpen { throw Self.error(.SQLITE_ERROR) }
      end()
    case .conflict:
      try write()
      if isOpen { end() }
      throw Self.error(.SQLITE_CONSTRAINT)
    case .caught(let step):
      do { try run(step) } catch {}
    case .transaction(let steps, let completion):
      try statement()
      if isOpen { throw Self.error(.SQLITE_ERROR) }
      try scope(steps, completion, isOutermost: true)
    case .savepoint(let steps, let completion):
      try statement()
      try scope(steps, completion, isOutermost: !isOpen)
    case .readOnly(let steps):
      readOnlyDepth += 1
      defer { readOnlyDepth -= 1 }
      for step in steps { try run(step) }
    }
  }

  private mutating func scope(
    _ steps: [Step], _ completion: Database.TransactionCompletion, isOutermost: Bool
  ) throws {
    let rowsBefore = rows
    if isOutermost {
      committedRows = rows
      isOpen = true
    }
    depth += 1
    defer {
      depth -= 1
      if isOutermost { isOpen = false }
    }
    do {
      for step in steps { try run(step) }
      if completion == .commit, !isOpen { throw Self.error(.SQLITE_ABORT) }
    } catch {
      if isOpen { rows = rowsBefore }
      throw error
    }
    if completion == .rollback, isOpen { rows = rowsBefore }
  }
}
