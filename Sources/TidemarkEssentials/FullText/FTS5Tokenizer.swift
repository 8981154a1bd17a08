/// A tokenizer of FTS5, which splits texts into the tokens that are indexed and searched.
///
/// ``Database/makeTokenizer(_:)`` returns the tokenizer of a descriptor. For tokenizers of your own, adopt
/// ``FTS5WrapperTokenizer`` or ``FTS5CustomTokenizer``.
///
/// ```swift
/// let tokenizer = try db.makeTokenizer(.unicode61())
/// let tokens = try tokenizer.tokenize(document: "Café ÉTÉ").map(\.token)    // ["cafe", "ete"]
/// ```
public protocol FTS5Tokenizer: AnyObject {
  /// Calls a function for each token of a text.
  ///
  /// The method calls `tokenCallback` for each token, and returns `SQLITE_OK`. If the callback returns another code,
  /// the method stops, and returns this code.
  ///
  /// - Parameter context: A pointer to be passed to `tokenCallback`. It is valid until the method returns.
  /// - Parameter tokenization: Why the text is tokenized.
  /// - Parameter pText: The text in UTF-8, without a final NUL byte. It may contain invalid UTF-8, as databases may.
  /// - Parameter nText: The number of bytes.
  /// - Parameter tokenCallback: The function that receives the tokens.
  /// - Returns: A result code of SQLite.
  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt
}

/// Why a text is tokenized.
public struct FTS5Tokenization: OptionSet, Sendable {
  /// The value in C.
  public let rawValue: CInt

  /// Creates a tokenization of flags.
  ///
  /// - Parameter rawValue: The value in C.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The text is a part of a pattern. C: `FTS5_TOKENIZE_QUERY`.
  public static let query = FTS5Tokenization(rawValue: 1)

  /// The text is the beginning of a word in a pattern; together with `query`. C: `FTS5_TOKENIZE_PREFIX`.
  public static let prefix = FTS5Tokenization(rawValue: 2)

  /// The text is inserted into a table, or removed from it. C: `FTS5_TOKENIZE_DOCUMENT`.
  public static let document = FTS5Tokenization(rawValue: 4)

  /// The text is tokenized by a function such as `highlight`. C: `FTS5_TOKENIZE_AUX`.
  public static let aux = FTS5Tokenization(rawValue: 8)
}

/// The properties of a token.
public struct FTS5TokenFlags: OptionSet, Sendable {
  /// The value in C.
  public let rawValue: CInt

  /// Creates flags.
  ///
  /// - Parameter rawValue: The value in C.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The token has the same position as the previous one: it is a synonym. C: `FTS5_TOKEN_COLOCATED`.
  public static let colocated = FTS5TokenFlags(rawValue: 1)
}

extension FTS5Tokenizer {
  /// Returns the tokens of a text, as they are indexed.
  ///
  /// - Parameter string: A text.
  /// - Returns: The tokens. Tokens that are not valid UTF-8 are omitted.
  /// - Throws: A ``DatabaseError`` with the result code of the tokenizer. Its ``DatabaseError/cause`` is the error that
  ///   a tokenizer in Swift has thrown.
  public func tokenize(document string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .document)
  }

  /// Returns the tokens of a text, as they are searched.
  ///
  /// - Parameter string: A text.
  /// - Returns: The tokens. Tokens that are not valid UTF-8 are omitted.
  /// - Throws: A ``DatabaseError`` with the result code of the tokenizer. Its ``DatabaseError/cause`` is the error that
  ///   a tokenizer in Swift has thrown.
  public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .query)
  }

  private func tokens(
    of string: String, for tokenization: FTS5Tokenization
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    var tokens: [(token: String, flags: FTS5TokenFlags)] = []
    var string = string
    if TokenizerFailure.mayExist { TokenizerFailure.discard() }
    let code = string.withUTF8 { bytes in
      guard let count = CInt(exactly: bytes.count) else { return ResultCode.SQLITE_TOOBIG.rawValue }
      return bytes.withMemoryRebound(to: CChar.self) { text in
        forEachFTS5Token { context, callback in
          tokenize(
            context: context, tokenization: tokenization, pText: text.baseAddress, nText: count,
            tokenCallback: callback)
        } _: { token in
          if let text = String(validating: token.bytes, as: UTF8.self) {
            tokens.append((token: text, flags: FTS5TokenFlags(rawValue: token.flags)))
          }
          return ResultCode.SQLITE_OK.rawValue
        }
      }
    }
    guard code == ResultCode.SQLITE_OK.rawValue else {
      var error = DatabaseError(resultCode: ResultCode(rawValue: code))
      error.cause = TokenizerFailure.take(code)
      throw error
    }
    return tokens
  }
}
