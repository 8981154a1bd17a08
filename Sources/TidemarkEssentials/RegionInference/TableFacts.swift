/// The information about a table that is needed to infer the rows that a query reads.
struct TableFacts {
  enum Kind {
    case table
    /// A view and its SQL.
    case view(sql: String)
    /// A virtual table and its SQL; nil for an eponymous virtual table, which is not created.
    case virtualTable(sql: String?)
  }

  /// The database of the table, and its name in the original spelling.
  var key: TableKey
  var kind: Kind

  /// The columns, by lowercase name.
  var columns: [String: ColumnFacts]

  /// The lowercase name of the column that is an alias of the row ID, or `RowFilter.rowIDName` if there is none. Nil if
  /// the table has no row IDs, or if another column has that name.
  var rowIDName: String?

  /// The lowercase names of the primary key columns of a `WITHOUT ROWID` table, which determine the order of its rows.
  var keyColumns: [String] = []

  /// The lowercase names of the columns on which generated columns depend.
  var generatingColumns: Set<String> = []

  /// The shadow tables of a virtual table, which store its rows.
  var shadowTables: [TableKey] = []
}

/// The information about a column that is needed to compare its values like SQLite.
struct ColumnFacts: Equatable, Sendable {
  /// The name in lowercase.
  var name: String
  var affinity: ColumnAffinity
  var isGenerated = false

  /// Whether text is compared with the `BINARY` collation.
  var isBinary = true
}

/// The affinity of a column, which converts the values compared with it.
enum ColumnAffinity: Sendable {
  case integer
  case real
  case numeric
  case text
  /// BLOB affinity: no conversion.
  case blob
  /// NUMERIC or BLOB affinity: an `ANY` column, whose affinity depends on whether its table is strict.
  case numericOrBlob

  /// Determines the affinity of a declared type by SQLite's rules.
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

  /// Whether a text that is a number is compared as a number.
  var comparesNumbers: Bool { self != .text && self != .blob }

  /// Returns the value as SQLite converts it for a comparison with a column of this affinity; nil if the result is not
  /// certain.
  func compared(_ value: DatabaseValue) -> DatabaseValue? {
    switch value.storage {
    case .null, .blob:
      return value
    case .double(let double):
      if double.isNaN { return .null }
      // The text form of a number depends on SQLite's formatting.
      return self == .text ? nil : value
    case .int64(let integer):
      switch self {
      case .text: return DatabaseValue(.string(String(integer)))
      // An index may store the integer as the nearest double.
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
  /// Whether SQLite certainly does not convert the text to a number, because of its first character.
  fileprivate var isCertainlyNoNumber: Bool {
    guard let first = utf8.first else { return true }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): return false
    // Whitespace may precede a number.
    case 0...32: return false
    default: return true
    }
  }

  /// The integer with exactly this text, if a double can represent it exactly.
  fileprivate var plainInteger: Int64? {
    guard utf8.count <= 15, let integer = Int64(self), String(integer) == self else { return nil }
    return integer
  }
}
