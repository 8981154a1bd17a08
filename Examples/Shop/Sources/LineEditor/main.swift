// A line editor. Its document is an SQLite file, and each command can be undone, also after a restart.
//
//     LineEditor text.sqlite
//
//     a TEXT      appends a line          u     undoes the last command
//     c N TEXT    changes line N          r     redoes it
//     d N [M]     deletes lines N to M    p     prints the lines
//     s OLD NEW   replaces words          q     ends

import Foundation
import Tidemark

struct Editor {
  let dbQueue: DatabaseQueue
  let history: ChangeHistory

  init(_ path: String) throws {
    dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, text TEXT)") }
    history = try ChangeHistory(dbQueue, named: "commands")
  }

  /// - Returns: Whether the editor continues.
  func execute(_ line: String) throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let numbers = words.dropFirst().map { Int($0) ?? 0 }
    switch words.first {
    case "a":
      let text = words.dropFirst().joined(separator: " ")
      try history.record(named: "append") { db in
        try db.execute(sql: "INSERT INTO line (text) VALUES (?)", arguments: [text])
      }
    case "c" where words.count == 3:
      try history.record(named: "change") { db in
        try db.execute(sql: "UPDATE line SET text = ? WHERE id = ?", arguments: [words[2], id(numbers[0], db)])
      }
    case "d" where numbers.first ?? 0 > 0:
      try history.record(named: "delete") { db in
        let count = max(numbers[0], numbers.last ?? 0) - numbers[0] + 1
        try db.execute(
          sql: "DELETE FROM line WHERE id IN (SELECT id FROM line ORDER BY id LIMIT ? OFFSET ?)",
          arguments: [count, numbers[0] - 1])
      }
    case "s" where words.count == 3:
      try history.record(named: "replace") { db in
        try db.execute(
          sql: "UPDATE line SET text = replace(text, ?1, ?2) WHERE instr(text, ?1)", arguments: [words[1], words[2]])
      }
    case "u":
      let name = history.undoName
      print(try history.undo() ? "undone: \(name ?? "")" : "nothing to undo")
    case "r":
      let name = history.redoName
      print(try history.redo() ? "redone: \(name ?? "")" : "nothing to redo")
    case "p":
      for (number, text) in try lines().enumerated() { print("\(number + 1)\t\(text)") }
    case "q": return false
    default: print("?")
    }
    return true
  }

  private func lines() throws -> [String] {
    try dbQueue.read { try String.fetchAll($0, sql: "SELECT text FROM line ORDER BY id") }
  }

  /// The row ID of a line, by its number; nil if there is none.
  private func id(_ number: Int, _ db: Database) throws -> Int64? {
    if number < 1 { return nil }
    return try Int64.fetchOne(db, sql: "SELECT id FROM line ORDER BY id LIMIT 1 OFFSET ?", arguments: [number - 1])
  }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: LineEditor FILE") }
let editor = try Editor(CommandLine.arguments[1])
while let line = readLine() {
  do {
    guard try editor.execute(line) else { break }
  } catch let conflict as ChangesetConflict {
    print("cannot undo or redo: \(conflict)")
  }
}
