import Foundation
import StressSupport
import Tidemark

/// Executes random transactions in threads and tasks, and records them in a log, until it is killed.
///
/// It acknowledges the number of every hundredth transaction of a session.
///
/// - Parameter name: The number of the first of its four sessions, the seed, and the kind of the database, separated by
///   colons.
func runTransactions(path: String, name: String) throws {
  let words = name.split(separator: ":")
  guard words.count == 3, let first = Int(words[0]), let seed = UInt64(words[1]) else { throw InvalidName(name: name) }
  let log = try TransactionLog(path: "\(path)-transactions-\(first)")
  switch words[2] {
  case "pool": run(in: try makePool(path), first, seed, log)
  case "groups": run(in: try makePool(path, groupsWrites: true), first, seed, log)
  case "queue":
    var configuration = Configuration()
    configuration.busyMode = .timeout(600)
    run(in: try DatabaseQueue(path: path, configuration: configuration), first, seed, log)
  default: throw InvalidName(name: name)
  }
}

private struct InvalidName: Error {
  var name: String
}

private func run(in writer: some DatabaseWriter, _ first: Int, _ seed: UInt64, _ log: TransactionLog) {
  for number in 0..<2 {
    Thread.detachNewThread {
      ended {
        var session = RandomSession(first + number, seed: seed)
        for count in 1... {
          try session.runInPlace(in: writer, log)
          if count % 100 == 0 { acknowledge(count) }
        }
      }
    }
    Task {
      var session = RandomSession(first + 2 + number, seed: seed)
      for count in 1... {
        do {
          try await session.run(in: writer, log)
        } catch {
          ended { throw error }
        }
        if count % 100 == 0 { acknowledge(count) }
      }
    }
  }
  // The parent kills it, or has ended.
  while getchar() != EOF {}
}

private func ended(_ body: () throws -> Void) {
  do {
    try body()
  } catch {
    complain("a transaction has failed: \(error)")
    exit(4)
  }
}
