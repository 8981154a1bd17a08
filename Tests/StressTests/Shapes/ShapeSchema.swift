import StressSupport

/// A random schema: its tables, and the statements that create them with their first rows.
struct ShapeSchema {
  var tables: [ShapeTable] = []
  var statements: [String] = []

  /// The names of virtual tables whose rows are in shadow tables.
  static let virtualTableNames: Set = ["ft", "rt", "fx", "fc", "f4"]
}

/// A table, view or virtual table.
struct ShapeTable {
  enum Kind {
    case table, view, fullText, rTree

    /// A full-text table whose texts are in another table, or are not stored.
    case externalContent, contentless

    /// The terms of a full-text table.
    case vocabulary

    /// A full-text table of the module FTS4.
    case formerFullText

    var isFullText: Bool { self == .fullText || self == .externalContent || self == .contentless }

    var isVirtual: Bool { self != .table && self != .view }
  }

  struct Column {
    var name: String
    var type = ""
    var isGenerated = false
    var hasCustomCollation = false
    var isChecked = false
    var isNotNull = false

    /// Whether a generated column, an expression in an index, or the condition of an index depends on it. SQLite does
    /// not update them after incremental blob writes, so that they become wrong.
    var isSource = false

    var sql: String { name.quotedAsName }

    /// Whether its name is one of the names of the row ID.
    var hidesRowID: Bool { Self.rowIDNames.contains(name) }

    static let rowIDNames = ["rowid", "oid", "_rowid_"]
  }

  var kind = Kind.table

  /// The name of the attached or temporary database; empty for the main one.
  var schema = ""
  var name: String
  var columns: [Column]

  /// The columns of the primary key.
  var key: [String] = []
  var isWithoutRowID = false
  var isStrict = false
  var indexes: [String] = []

  /// Whether rows can be written: views need triggers for it.
  var isWritable = true
  var hasTriggers: Bool { !triggerShapes.isEmpty }

  /// The shapes of transactions that may execute its triggers.
  var triggerShapes: Set<Shape> = []
  var hasUniqueIndex = false

  /// Whether its key is an `INTEGER PRIMARY KEY DESC`, which is not the row ID.
  var hasDescendingKey = false

  /// Whether foreign keys of other tables refer to its key.
  var isParent = false

  /// The statement that creates it.
  var definition = ""

  var sql: String { schema.isEmpty ? name.quotedAsName : "\(schema).\(name.quotedAsName)" }

  var writableColumns: [Column] { columns.filter { !$0.isGenerated } }

  var hasRowID: Bool { kind != .view && kind != .vocabulary && !isWithoutRowID }
}

extension ShapeTable {
  /// The shapes of a query that reads the table.
  var shapes: Set<Shape> {
    var shapes: Set<Shape> =
      switch kind {
      case .table: []
      case .view: [.view]
      case .fullText: [.fullTextTable]
      case .rTree: [.rTree]
      case .externalContent: [.externalContent]
      case .contentless: [.contentlessTable]
      case .vocabulary: [.fullTextVocabulary]
      case .formerFullText: [.formerFullTextTable]
      }
    if schema == "temp" { shapes.insert(.temporaryTable) }
    if schema == "aux" { shapes.insert(.attachedTable) }
    if isWithoutRowID { shapes.insert(.withoutRowID) }
    if isStrict { shapes.insert(.strictTable) }
    if columns.contains(where: \.hasCustomCollation) { shapes.insert(.customCollationOfColumn) }
    if columns.contains(where: \.isGenerated) { shapes.insert(.generatedColumn) }
    if columns.contains(where: \.isChecked) { shapes.insert(.checkedColumn) }
    if columns.contains(where: \.isNotNull) { shapes.insert(.notNullColumn) }
    if columns.contains(where: \.hidesRowID) { shapes.insert(.hiddenRowID) }
    if hasUniqueIndex { shapes.insert(.uniqueIndex) }
    if hasDescendingKey { shapes.insert(.descendingKey) }
    return shapes
  }
}
