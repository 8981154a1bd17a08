/// A function that receives the tokens of a wrapper tokenizer.
///
/// It throws an error if FTS5 refuses the token. Let the error propagate.
public typealias FTS5WrapperTokenCallback = (_ token: String, _ flags: FTS5TokenFlags) throws -> Void

/// A tokenizer that modifies the tokens of another one.
///
/// For each token of the wrapped tokenizer, FTS5 receives the tokens that
/// ``accept(token:flags:for:tokenCallback:)`` passes on. A token that is not passed on is neither indexed nor searched;
/// a token that is passed on with the flag ``FTS5TokenFlags/colocated`` is a synonym of the previous one.
///
/// ```swift
/// /// Ignores some frequent words.
/// final class StopWordTokenizer: FTS5WrapperTokenizer {
///   static let name = "stopwords"
///   let wrappedTokenizer: any FTS5Tokenizer
///   private let ignored: Set<String> = ["a", "an", "the"]
///
///   init(db: Database, arguments: [String]) throws {
///     wrappedTokenizer = try db.makeTokenizer(
///       arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
///   }
///
///   func accept(
///     token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///     tokenCallback: FTS5WrapperTokenCallback
///   ) throws {
///     if !ignored.contains(token) { try tokenCallback(token, flags) }
///   }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
  /// The tokenizer whose tokens are modified.
  var wrappedTokenizer: any FTS5Tokenizer { get }

  /// Passes on the tokens for a token of the wrapped tokenizer.
  ///
  /// - Parameter token: A token of the wrapped tokenizer. Tokens that are not valid UTF-8 are omitted.
  /// - Parameter flags: Its flags.
  /// - Parameter tokenization: Why the text is tokenized.
  /// - Parameter tokenCallback: The function to call for each token that is indexed or searched.
  /// - Throws: An error, with which the statement fails: the code of a ``DatabaseError``, or `SQLITE_ERROR`. It is the
  ///   ``DatabaseError/cause`` of the error of the statement.
  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
  ) throws
}

extension FTS5WrapperTokenizer {
  /// Calls a function for each token that `accept` passes on.
  ///
  /// - Parameter context: A pointer to be passed to `tokenCallback`.
  /// - Parameter tokenization: Why the text is tokenized.
  /// - Parameter pText: The text in UTF-8.
  /// - Parameter nText: The number of bytes.
  /// - Parameter tokenCallback: The function that receives the tokens.
  /// - Returns: A result code of SQLite.
  public func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    let ok = ResultCode.SQLITE_OK.rawValue
    return forEachFTS5Token { inner, innerCallback in
      wrappedTokenizer.tokenize(
        context: inner, tokenization: tokenization, pText: pText, nText: nText, tokenCallback: innerCallback)
    } _: { token in
      guard let text = String(validating: token.bytes, as: UTF8.self) else { return ok }
      var code = ok
      do {
        try accept(token: text, flags: FTS5TokenFlags(rawValue: token.flags), for: tokenization) { text, flags in
          var text = text
          if code == ok {
            code = text.withUTF8 { bytes in
              bytes.withMemoryRebound(to: CChar.self) { bytes in
                tokenCallback(
                  context, flags.rawValue, bytes.baseAddress, CInt(clamping: bytes.count), token.start, token.end)
              }
            }
          }
          if code != ok {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "token callback failed")
          }
        }
        return code
      } catch {
        // The receiver's own code is returned, whatever `accept` makes of its error.
        return code == ok ? TokenizerFailure.record(error) : code
      }
    }
  }
}
