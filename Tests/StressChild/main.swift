import Foundation
import Tidemark

// A process that writes to a database until it is killed. It tells each commit that was acknowledged to it on its
// standard output, as eight bytes: the parent reads them, and finds the rows.
//
//     StressChild PATH NAME
//
// Rows are pairs in two tables, so that a half of a write would be seen.

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("StressChild PATH NAME\n".utf8))
  exit(2)
}
let path = CommandLine.arguments[1]
let name = CommandLine.arguments[2]

/// Tells the parent. `write(2)` is atomic for so few bytes.
func acknowledge(_ number: Int) {
  withUnsafeBytes(of: Int64(number).littleEndian) { bytes in
    if write(STDOUT_FILENO, bytes.baseAddress, bytes.count) != bytes.count { exit(0) }
  }
}

do {
  var configuration = Configuration()
  configuration.busyMode = .timeout(60)
  configuration.prepareDatabase { db in
    if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
  }
  let pool = try DatabasePool(path: path, configuration: configuration)
  for number in 1... {
    try pool.write { db in
      try db.execute(sql: "INSERT INTO one (name, n) VALUES (?, ?)", arguments: [name, number])
      try db.execute(sql: "INSERT INTO two (name, n) VALUES (?, ?)", arguments: [name, number])
    }
    acknowledge(number)
    if number % 16 == 0 {
      let counts = try pool.read { db in
        try ["one", "two"].map {
          try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0) WHERE name = ?", arguments: [name])
        }
      }
      guard counts == [number, number] else {
        FileHandle.standardError.write(Data("\(name): \(number) rows were written, \(counts) are there\n".utf8))
        exit(3)
      }
    }
  }
} catch {
  FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
  exit(4)
}
