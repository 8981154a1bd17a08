/// What regions need to know of the schema. The module that knows it comes later, and hands this over.
struct SchemaFacts {
  /// A number that changes with the schema.
  var generation: (Database) throws -> UInt

  /// That number as it was last: the schema may have changed since.
  var knownGeneration: (Database) -> UInt

  /// What is known of the table that a name means, in a database or wherever SQLite finds it; nil when there is none.
  var table: (Database, _ name: String, _ database: String?) throws -> TableFacts?
}

/// What must be known of a table to tell which rows of it a query reads.
struct TableFacts {
  enum Kind {
    case table
    /// With the text that created it.
    case view(sql: String)
    /// With the text that created it; nil for a table that its module brings without being asked.
    case virtualTable(sql: String?)
  }

  /// The database of the table, and its name as it was created.
  var key: TableKey
  var kind: Kind

  /// By name in lower case.
  var columns: [String: ColumnFacts]

  /// The column that stands for the row id, in lower case; `RowFilter.rowIDName` when none does; nil when rows have no
  /// id, or when that is the name of another column.
  var rowIDName: String?

  /// The columns of the primary key of a table whose rows have no id, in lower case: rows come in its order.
  var keyColumns: [String] = []

  /// The columns of which generated columns are made, in lower case.
  var generatingColumns: Set<String> = []

  /// The tables in which a virtual table keeps its rows.
  var shadowTables: [TableKey] = []
}

/// What must be known of a column to compare it as SQLite does.
struct ColumnFacts: Equatable, Sendable {
  /// In lower case.
  var name: String
  var affinity: ColumnAffinity
  var isGenerated = false

  /// Whether texts are compared by their bytes.
  var isBinary = true
}

/// What a column makes of the values it is compared with.
enum ColumnAffinity: Sendable {
  case integer
  case real
  case numeric
  case text
  /// Nothing.
  case blob
  /// Numeric, or nothing: `ANY` in a strict table.
  case numericOrBlob

  /// By SQLite's rules for the type of a declaration.
  init(ofDeclaredType type: String) {
    let type = type.uppercased()
    if type == "ANY" {
      self = .numericOrBlob
    } else if type.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
      self = .text
    } else if type.isEmpty || type.contains("BLOB") {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }

  /// A value as it is when SQLite compares it with a column of this affinity: nil when that is not certain.
  func compared(_ value: DatabaseValue) -> DatabaseValue? {
    switch value.storage {
    case .null, .blob:
      return value
    case .double(let double):
      if double.isNaN { return .null }
      // The digits of the text would be SQLite's.
      return self == .text ? nil : value
    case .int64(let integer):
      switch self {
      case .text: return DatabaseValue(.string(String(integer)))
      // Where an index is used, the integer may have become the nearest double.
      case .real: return integer.magnitude <= 1 << 53 ? value : nil
      case .integer, .numeric, .blob, .numericOrBlob: return value
      }
    case .string(let text):
      switch self {
      case .text, .blob: return value
      case .numericOrBlob: return text.isCertainlyNoNumber ? value : nil
      case .integer, .real, .numeric:
        if text.isCertainlyNoNumber { return value }
        return text.plainInteger.map { DatabaseValue(.int64($0)) }
      }
    }
  }
}

extension String {
  /// Whether SQLite never takes the text for a number: it begins as none does.
  fileprivate var isCertainlyNoNumber: Bool {
    guard let first = utf8.first else { return true }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): return false
    // Blanks, which may stand before a number.
    case 0...32: return false
    default: return true
    }
  }

  /// The integer whose text this is exactly, if it has few enough digits for a double to hold it, too.
  fileprivate var plainInteger: Int64? {
    guard utf8.count <= 15, let integer = Int64(self), String(integer) == self else { return nil }
    return integer
  }
}
