import Foundation
import Tidemark

/// Writes, and stops itself inside of each transaction. Acknowledges each write.
func stopInWrites(path: String, name: String) throws {
  let pool = try makePool(path)
  for number in 1... {
    try pool.write { db in
      try insert(number, of: name, db)
      stop()
    }
    acknowledge(number)
  }
}

/// Reads, and stops itself inside of each read, which must see the same rows before and after. Acknowledges each read.
func stopInReads(path: String, name: String) throws {
  let pool = try makePool(path)
  for number in 1... {
    try pool.read { db in
      let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM one")
      stop()
      let after = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM one")
      if before != after { complain("\(name): a read has seen \(before ?? -1) rows, and then \(after ?? -1)") }
    }
    acknowledge(number)
  }
}

/// Stops all threads until the parent lets the process go on.
private func stop() {
  kill(getpid(), SIGSTOP)
}
