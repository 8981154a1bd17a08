/// A tokenizer in Swift that FTS5 tables can use.
///
/// Most tokenizers modify the tokens of another one: adopt ``FTS5WrapperTokenizer`` for these. A type that adopts only
/// this protocol reads the bytes of the text, and reports tokens without creating strings:
///
/// ```swift
/// /// Splits texts at spaces.
/// final class SpaceTokenizer: FTS5CustomTokenizer {
///   static let name = "space"
///
///   init(db: Database, arguments: [String]) {}
///
///   func tokenize(
///     context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
///     tokenCallback: @escaping FTS5TokenCallback
///   ) -> CInt {
///     guard let pText else { return SQLITE_OK }
///     var start: CInt = 0
///     for end in 0...nText where end == nText || pText[Int(end)] == 32 {
///       if end > start {
///         let code = tokenCallback(context, 0, pText + Int(start), end - start, start, end)
///         if code != SQLITE_OK { return code }
///       }
///       start = end + 1
///     }
///     return SQLITE_OK
///   }
/// }
/// ```
///
/// Register the type in each connection, with ``Database/add(tokenizer:)``:
///
/// ```swift
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in db.add(tokenizer: SpaceTokenizer.self) }
/// ```
///
/// A tokenizer is created when a connection first uses a table, and released when the table is dropped or the
/// connection is closed. It is called on the thread of the connection's access, while a statement runs. It may read the
/// database, but must not write to it. A connection without the tokenizer cannot use the table:
/// `no such tokenizer: space`.
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
  /// The name of the tokenizer in SQL.
  static var name: String { get }

  /// Creates a tokenizer.
  ///
  /// - Parameter db: The connection that uses it. Do not retain it.
  /// - Parameter arguments: The arguments in the definition of the table.
  /// - Throws: An error, with which the statement that uses the table fails: the code of a ``DatabaseError``, or
  ///   `SQLITE_ERROR`. It is the ``DatabaseError/cause`` of the error of the statement.
  init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
  /// Returns a descriptor of the tokenizer, to be used in the definition of a table.
  ///
  /// ```swift
  /// try db.create(virtualTable: "document", using: FTS5()) { t in
  ///   t.tokenizer = SpaceTokenizer.tokenizerDescriptor()
  ///   t.column("content")
  /// }
  /// ```
  ///
  /// - Parameter arguments: The arguments that `init(db:arguments:)` receives.
  /// - Returns: The descriptor.
  public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: [name] + arguments)
  }
}

extension Database {
  /// Registers a tokenizer in the connection. It replaces one with the same name, but not in tables that are in use.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in db.add(tokenizer: SpaceTokenizer.self) }
  /// ```
  ///
  /// - Parameter tokenizer: A type of tokenizers.
  /// - Precondition: libsqlite3 was built with FTS5.
  public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
    preconditionAccess()
    guard let handle else { return }
    // SQLite calls the factory while the connection is open, and retains it as long.
    let factory = FTS5TokenizerFactory { [unowned self] arguments in
      CalledTokenizer(try tokenizer.init(db: self, arguments: arguments))
    }
    do {
      try handle.addTokenizer(tokenizer.name, fts5API(), factory)
    } catch {
      fatalError("The tokenizer \(tokenizer.name) could not be added: \(error)")
    }
  }

  /// Returns a tokenizer.
  ///
  /// ```swift
  /// let tokenizer = try db.makeTokenizer(.porter())
  /// let tokens = try tokenizer.tokenize(document: "Running dogs").map(\.token)    // ["run", "dog"]
  /// ```
  ///
  /// The tokenizer belongs to the connection: use it only in accesses of this connection. After the connection is
  /// closed, it fails with `SQLITE_MISUSE`.
  ///
  /// - Parameter descriptor: The tokenizer: one of SQLite's, or one that was registered in the connection.
  /// - Returns: The tokenizer.
  /// - Throws: A ``DatabaseError`` if the tokenizer does not exist, if its initializer fails, or if libsqlite3 was
  ///   built without FTS5.
  public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
    let components = descriptor.components
    let handle = try FTS5TokenizerHandle(components[0], Array(components.dropFirst()), fts5API())
    return ConnectionTokenizer(self, handle)
  }
}

/// A tokenizer in Swift, as FTS5 calls it.
private final class CalledTokenizer: FTS5TokenizerImplementation {
  private let tokenizer: any FTS5CustomTokenizer

  init(_ tokenizer: any FTS5CustomTokenizer) {
    self.tokenizer = tokenizer
  }

  func tokenize(
    _ text: UnsafePointer<CChar>?, count: CInt, flags: CInt, context: UnsafeMutableRawPointer,
    callback: @escaping FTS5TokenCallback
  ) -> CInt {
    tokenizer.tokenize(
      context: context, tokenization: FTS5Tokenization(rawValue: flags), pText: text, nText: count,
      tokenCallback: callback)
  }
}

/// A tokenizer that a connection knows by name.
private final class ConnectionTokenizer: FTS5Tokenizer {
  // Not retained: a tokenizer of a table, which SQLite owns, would retain its own connection.
  private weak let database: Database?
  private let handle: FTS5TokenizerHandle

  init(_ database: Database, _ handle: FTS5TokenizerHandle) {
    self.database = database
    self.handle = handle
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let database else { return TokenizerFailure.record(Database.closedError) }
    if database.handle == nil { return TokenizerFailure.record(Database.closedError) }
    database.preconditionAccess()
    guard nText >= 0, pText != nil || nText == 0 else { return ResultCode.SQLITE_MISUSE.rawValue }
    return handle.tokenize(pText, count: nText, flags: tokenization.rawValue, context: context, callback: tokenCallback)
  }
}
