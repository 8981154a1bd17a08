import CSQLite

/// A feature of SQL that SQLite has since a version.
struct SQLiteFeature {
  /// The first version with the feature, as in 3038000.
  let versionNumber: CInt

  /// The beginning of the message for a library without the feature.
  private let subject: String

  private init(_ subject: String, since versionNumber: CInt) {
    self.subject = subject
    self.versionNumber = versionNumber
  }

  /// The operators `->` and `->>`.
  static let jsonOperators = SQLiteFeature("the JSON operators -> and ->> require", since: 3_038_000)

  /// The binary representation of JSON, and the functions that return it.
  static let binaryJSON = SQLiteFeature("JSONB requires", since: 3_045_000)

  /// Whether a version of SQLite has the feature.
  func isAvailable(in libraryVersion: CInt) -> Bool { libraryVersion >= versionNumber }

  /// Throws an error if a version of SQLite lacks the feature.
  func check(in libraryVersion: CInt) throws {
    if isAvailable(in: libraryVersion) { return }
    throw DatabaseError(resultCode: .SQLITE_ERROR, message: explanation(for: libraryVersion))
  }

  /// As in `JSONB requires SQLite 3.45 or later, but the linked library is SQLite 3.40.1`.
  fileprivate func explanation(for libraryVersion: CInt) -> String {
    """
    \(subject) SQLite \(Self.text(ofVersion: versionNumber)) or later, but the linked library is SQLite \
    \(Self.text(ofVersion: libraryVersion))
    """
  }

  private static func text(ofVersion number: CInt) -> String {
    let (major, minor, patch) = (number / 1_000_000, number / 1000 % 1000, number % 1000)
    return patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
  }
}

// MARK: - Functions

extension SQLiteFeature {
  /// Returns the feature that consists of a function of SQLite, or nil for other functions.
  private init?(functionNamed name: String) {
    let name = name.asciiLowercased
    let isJSON = name == "json" || name == "jsonb" || name.hasPrefix("json_") || name.hasPrefix("jsonb_")
    if let versionNumber = Self.functionVersions[name] {
      self.init("\(name)() requires", since: versionNumber)
    } else if isJSON {
      // Before 3.38, the JSON functions existed if the library was built with SQLITE_ENABLE_JSON1.
      self.init("\(name)() requires", since: name.hasPrefix("jsonb") ? Self.binaryJSON.versionNumber : 3_038_000)
    } else {
      return nil
    }
  }

  /// The first versions with a function, for functions that are newer than the oldest supported library.
  private static let functionVersions: [String: CInt] = [
    "format": 3_038_000, "unixepoch": 3_038_000, "unhex": 3_041_000, "json_error_position": 3_042_000,
    "octet_length": 3_043_000, "timediff": 3_043_000, "concat": 3_044_000, "concat_ws": 3_044_000,
    "string_agg": 3_044_000, "json_pretty": 3_046_000, "if": 3_048_000,
    "unistr": 3_050_000, "unistr_quote": 3_050_000,
  ]
}

extension DatabaseError {
  /// Returns the error of a statement that was not compiled. If the linked library is too old for the statement, the
  /// message names the version that is required.
  ///
  /// ```
  /// no such function: jsonb: jsonb() requires SQLite 3.45 or later, but the linked library is SQLite 3.40.1
  /// ```
  func explainingMissingFeature(in libraryVersion: CInt = SQLiteLibrary.versionNumber) -> DatabaseError {
    guard resultCode == .SQLITE_ERROR, let message, let feature = SQLiteFeature(missingAccordingTo: message, sql),
      !feature.isAvailable(in: libraryVersion)
    else { return self }
    return withMessage("\(message): \(feature.explanation(for: libraryVersion))")
  }
}

extension SQLiteFeature {
  /// The feature whose absence may have caused an error of SQLite.
  fileprivate init?(missingAccordingTo message: String, _ sql: String?) {
    let prefix = "no such function: "
    if message.hasPrefix(prefix) {
      self.init(functionNamed: String(message.dropFirst(prefix.count)))
    } else if message == "near \">\": syntax error", sql?.contains("->") == true {
      self = .jsonOperators
    } else {
      return nil
    }
  }
}

/// The features of the linked libsqlite3, determined at run time.
enum SQLiteLibrary {
  /// 3040001 for 3.40.1. C: `sqlite3_libversion_number`.
  static let versionNumber = sqlite3_libversion_number()

  /// As in `3.40.1`. C: `sqlite3_libversion`.
  static let version = String(cString: sqlite3_libversion())

  /// Whether old and new values of changed rows are reported. C: `sqlite3_preupdate_hook`.
  static let hasPreupdateHook = tidemark_has_preupdate_hook() != 0

  /// Whether changesets can be recorded and applied. C: `sqlite3session_create`.
  static let hasSession = tidemark_has_session() != 0
}
