// A command-line tool that keeps notes in an SQLite file.
//
//     notes add Buy milk
//     notes list
//     notes done 1
//     notes find milk
//     notes watch            prints the open notes again whenever they change; run `notes add` in another terminal

import Foundation
import Tidemark

let usage = """
  usage: notes add TEXT… | list | done ID | find TEXT… | watch
  The notes are stored in the file that NOTES_FILE names (default: notes.sqlite).

  """

func show(_ notes: [Note]) {
  for note in notes {
    print("\(note.id ?? 0)\t\(note.isDone ? "done" : "open")\t\(note.text)")
  }
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

let words = CommandLine.arguments.dropFirst()
let rest = words.dropFirst().joined(separator: " ")
let store = try NoteStore(path: ProcessInfo.processInfo.environment["NOTES_FILE"] ?? "notes.sqlite")

do {
  switch words.first {
  case "add" where !rest.isEmpty:
    show([try await store.add(rest)])
  case "list":
    show(try await store.openNotes())
  case "done":
    guard let id = Int64(rest) else { fail("expected the ID of a note, got '\(rest)'") }
    guard try await store.finish(id: id) else { fail("there is no open note \(id)") }
  case "find" where !rest.isEmpty:
    show(try await store.notes(containing: rest))
  case "watch":
    for try await notes in store.openNotesStream() {
      print("--- \(notes.count) open")
      show(notes)
    }
  default:
    fail(usage)
  }
} catch let error as DatabaseError {
  fail("notes: \(error)")
}
