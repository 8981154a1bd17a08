import Foundation
import StressSupport
import Tidemark

/// Writes at random when the parent asks for it, as the plan in `name` says.
///
/// The parent sends a number of transactions, or 0 for one that increments the number in the table `sentinel`. The
/// process acknowledges numbers of committed transactions: see `WriterReport`.
func writeAtRandom(path: String, name: String) throws {
  let plan = try WriterPlan(text: name)
  let program = WritingProgram(plan, path)
  var writer = RandomWriter(plan)
  func report(_ committed: Int, isLast: Bool = false) {
    acknowledge(WriterReport(program: program.program, transactionCount: committed, isLast: isLast).number)
  }
  while let count = readNumber() {
    var committed = 0
    if count == 0 {
      program.access { connection in
        while !connection.execute("UPDATE sentinel SET n = n + 1") {}
      }
    }
    for number in 0..<count {
      if number % 50 == 49 {
        report(committed)
        committed = 0
      }
      if writer.once(in: 200) {
        report(committed)
        committed = 0
        program.reopen()
      }
      program.access { if writer.run($0) { committed += 1 } }
    }
    report(committed, isLast: true)
  }
}

/// The database as a process opens it.
private final class WritingProgram {
  private enum Connections {
    case library(any DatabaseWriter)
    case plain(PlainConnection)
  }

  private let plan: WriterPlan
  private let path: String
  private var connections: Connections?
  private(set) var program = WriterPlan.Program.plain
  private var openCount = 0

  init(_ plan: WriterPlan, _ path: String) {
    (self.plan, self.path) = (plan, path)
    reopen()
  }

  func access(_ body: (any WriterConnection) -> Void) {
    switch connections {
    case .library(let database): database.writeWithoutTransaction { body(LibraryConnection($0)) }
    case .plain(let connection): body(connection)
    case nil: break
    }
  }

  /// Closes the connections, and opens them again.
  func reopen() {
    if case .library(let database) = connections {
      do { try database.close() } catch { complain("\(program): could not be closed: \(error)") }
    }
    connections = nil
    program = plan.program(openCount)
    openCount += 1
    while true {
      do {
        connections = try open()
        return
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // The busy timeout of the plan may be short.
      } catch {
        complain("\(program): could not be opened: \(error)")
        exit(4)
      }
    }
  }

  private func open() throws -> Connections {
    let setUp = """
      PRAGMA synchronous = \(plan.synchronous.rawValue);
      PRAGMA wal_autocheckpoint = \(plan.checkpointPageCount)
      """
    if program == .plain {
      let connection = PlainConnection(path: path, busyMilliseconds: plan.busyMilliseconds)
      _ = connection.execute(setUp)
      return .plain(connection)
    }
    var configuration = Configuration()
    configuration.busyMode =
      plan.busyMilliseconds == 0 ? .immediateError : .timeout(Double(plan.busyMilliseconds) / 1_000)
    if program.writesFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    configuration.prepareDatabase { try $0.execute(sql: setUp) }
    return switch program {
    case .pool, .poolWithFeed: .library(try DatabasePool(path: path, configuration: configuration))
    case .queue, .queueWithFeed, .plain: .library(try DatabaseQueue(path: path, configuration: configuration))
    }
  }
}
