import CSQLite

/// A C function that receives the tokens of a tokenizer.
///
/// A tokenizer calls it once for each token, and returns its result if it is not `SQLITE_OK`. See ``FTS5Tokenizer``.
///
/// | Parameter | Meaning |
/// | --- | --- |
/// | `context` | the pointer that the tokenizer was given |
/// | `flags` | the raw value of ``FTS5TokenFlags`` |
/// | `pToken`, `nToken` | the token in UTF-8, and its length in bytes; it is copied |
/// | `iStart`, `iEnd` | the range of bytes in the text that the token comes from |
public typealias FTS5TokenCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?, _ nToken: CInt,
    _ iStart: CInt, _ iEnd: CInt
  ) -> CInt

/// A token that a tokenizer reports. Its bytes are valid until the receiver returns.
struct FTS5Token {
  var bytes: UnsafeBufferPointer<UInt8>
  var flags: CInt

  /// The range of bytes in the text.
  var start: CInt
  var end: CInt
}

/// Runs a tokenizer, and calls a closure for each token. It allocates no memory.
///
/// - Parameter tokenize: Runs the tokenizer with a context and a callback, and returns its result code.
/// - Parameter body: Receives a token, and returns a result code. It is not called again after another code than
///   `SQLITE_OK`.
/// - Returns: The first code of `body` that is not `SQLITE_OK`, or the code of `tokenize`.
func forEachFTS5Token(
  _ tokenize: (UnsafeMutableRawPointer, @escaping FTS5TokenCallback) -> CInt, _ body: (FTS5Token) -> CInt
) -> CInt {
  withoutActuallyEscaping(body) { body in
    var receiver = TokenReceiver(body: body)
    let code = withUnsafeMutablePointer(to: &receiver) { tokenize(UnsafeMutableRawPointer($0), receiverDidGetToken) }
    return receiver.code == SQLITE_OK ? code : receiver.code
  }
}

private struct TokenReceiver {
  let body: (FTS5Token) -> CInt
  var code = SQLITE_OK
}

private func receiverDidGetToken(
  context: UnsafeMutableRawPointer?, flags: CInt, token: UnsafePointer<CChar>?, count: CInt, start: CInt, end: CInt
) -> CInt {
  guard let receiver = context?.assumingMemoryBound(to: TokenReceiver.self) else { return SQLITE_MISUSE }
  if receiver.pointee.code != SQLITE_OK { return receiver.pointee.code }
  guard count >= 0, token != nil || count == 0 else {
    receiver.pointee.code = SQLITE_MISUSE
    return SQLITE_MISUSE
  }
  let start8 = UnsafeRawPointer(token)?.assumingMemoryBound(to: UInt8.self)
  let bytes = UnsafeBufferPointer(start: start8, count: Int(count))
  let code = receiver.pointee.body(FTS5Token(bytes: bytes, flags: flags, start: start, end: end))
  if code != SQLITE_OK { receiver.pointee.code = code }
  return code
}
