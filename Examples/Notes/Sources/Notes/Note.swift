import Foundation
import Tidemark

/// A note, stored as one row of the table `note`.
struct Note: Codable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var text: String
  var createdAt: Date
  var isDone = false

  enum Columns {
    static let text = Column(CodingKeys.text)
    static let createdAt = Column(CodingKeys.createdAt)
    static let isDone = Column(CodingKeys.isDone)
  }

  /// SQLite chooses the ID of a new note.
  mutating func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}

extension Note {
  /// The notes that are not done, oldest first.
  static var open: QueryInterfaceRequest<Note> {
    filter(!Columns.isDone).order(Columns.createdAt, Column.rowID)
  }

  /// The notes whose text contains `words`, newest first.
  static func containing(_ words: String) -> QueryInterfaceRequest<Note> {
    // Escape the wildcards of LIKE, so that "100%" finds "100%".
    let escaped = words.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    return filter(Columns.text.like("%\(escaped)%", escape: "\\")).order(Columns.createdAt.desc)
  }
}
