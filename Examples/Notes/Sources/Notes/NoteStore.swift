import Foundation
import Tidemark

/// The notes in one database file. Several processes may use the same file at the same time.
struct NoteStore {
  let dbQueue: DatabaseQueue

  /// Opens the file, creates it if it is missing, and brings its schema up to date.
  init(path: String) throws {
    dbQueue = try DatabaseQueue(path: path)
    try Self.migrator.migrate(dbQueue)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("notes") { db in
      try db.create(table: "note") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("text", .text).notNull()
        t.column("createdAt", .datetime).notNull()
        t.column("isDone", .boolean).notNull().defaults(to: false)
      }
    }
    return migrator
  }

  /// Stores a new note and returns it with its ID.
  func add(_ text: String) async throws -> Note {
    try await dbQueue.write { db in
      var note = Note(text: text, createdAt: Date())
      try note.insert(db)
      return note
    }
  }

  /// Marks a note as done. Returns false if no open note has that ID.
  func finish(id: Int64) async throws -> Bool {
    try await dbQueue.write { db in
      try Note.open.filter(key: id).updateAll(db, Note.Columns.isDone.set(to: true)) > 0
    }
  }

  /// The open notes.
  func openNotes() async throws -> [Note] {
    try await dbQueue.read { db in try Note.open.fetchAll(db) }
  }

  /// The notes that contain some words.
  func notes(containing words: String) async throws -> [Note] {
    try await dbQueue.read { db in try Note.containing(words).fetchAll(db) }
  }

  /// The open notes, now and after every commit that changes them, by this process or another one.
  func openNotesStream() -> AsyncValueObservation<[Note]> {
    ValueObservation.tracking { db in try Note.open.fetchAll(db) }
      .removeDuplicates()
      .values(in: dbQueue)
  }
}
