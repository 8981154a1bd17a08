import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Tokenizers in Swift that FTS5 calls.
//
// Invariants:
//
// 1. SQLite owns the factory and the tokenizers, and releases them.
// 2. FTS5 receives only tokens that it can handle: a pointer with a length, and a range inside the text. Its functions
//    `highlight` and `snippet` copy these ranges without any check. Tokens end at a NUL character where the index does.
// 3. A result code that does not stand for a failure does not reach SQLite, which would end the statement without an
//    error.

/// A tokenizer in Swift.
protocol FTS5TokenizerImplementation: AnyObject {
  /// Calls a function for each token of a text, and returns a result code.
  ///
  /// - Parameter flags: The raw value of `FTS5Tokenization`.
  func tokenize(
    _ text: UnsafePointer<CChar>?, count: CInt, flags: CInt, context: UnsafeMutableRawPointer,
    callback: @escaping FTS5TokenCallback
  ) -> CInt
}

/// Creates the tokenizers of a registered type.
final class FTS5TokenizerFactory {
  let make: (_ arguments: [String]) throws -> any FTS5TokenizerImplementation

  init(_ make: @escaping (_ arguments: [String]) throws -> any FTS5TokenizerImplementation) {
    self.make = make
  }
}

extension ConnectionHandle {
  /// The interface of FTS5, or nil if libsqlite3 was built without it. C: the SQL function `fts5`.
  func fts5API() throws -> UnsafeMutablePointer<fts5_api>? {
    var api: UnsafeMutablePointer<fts5_api>?
    let code = tidemark_fts5_api(pointer, &api)
    if code == SQLITE_ERROR { return nil }
    try check(code)
    return api
  }

  /// Registers a tokenizer, which replaces one with the same name in tables that are opened later. C:
  /// `xCreateTokenizer`.
  func addTokenizer(_ name: String, _ api: UnsafeMutablePointer<fts5_api>, _ factory: FTS5TokenizerFactory) throws {
    var functions = fts5_tokenizer(
      xCreate: tokenizerIsCreated, xDelete: tokenizerIsDeleted, xTokenize: tokenizerIsCalled)
    let context = Unmanaged.passRetained(factory)
    let code =
      api.pointee.xCreateTokenizer?(api, name, context.toOpaque(), &functions) { context in
        Unmanaged<FTS5TokenizerFactory>.fromOpaque(context.unsafelyUnwrapped).release()
      } ?? SQLITE_MISUSE
    // FTS5 does not release the factory if it has no memory.
    guard code == SQLITE_OK else {
      context.release()
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }
}

/// A tokenizer that FTS5 knows by name.
final class FTS5TokenizerHandle {
  private let functions: fts5_tokenizer
  private let instance: OpaquePointer

  /// Creates a tokenizer. C: `xFindTokenizer`, `xCreate`.
  init(_ name: String, _ arguments: [String], _ api: UnsafeMutablePointer<fts5_api>) throws {
    var userData: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    let code = api.pointee.xFindTokenizer?(api, name, &userData, &functions) ?? SQLITE_MISUSE
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    var instance: OpaquePointer?
    let creationCode = arguments.withCStrings { pointers in
      functions.xCreate?(userData, pointers.baseAddress, CInt(arguments.count), &instance) ?? SQLITE_MISUSE
    }
    guard creationCode == SQLITE_OK, let instance else {
      let code = creationCode.failureCode
      var error = DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "failed fts5_tokenizer.xCreate")
      error.cause = TokenizerFailure.take(code)
      throw error
    }
    self.functions = functions
    self.instance = instance
  }

  deinit { functions.xDelete?(instance) }

  /// C: `xTokenize`.
  func tokenize(
    _ text: UnsafePointer<CChar>?, count: CInt, flags: CInt, context: UnsafeMutableRawPointer?,
    callback: @escaping FTS5TokenCallback
  ) -> CInt {
    functions.xTokenize?(instance, context, flags, text, count, callback) ?? SQLITE_MISUSE
  }
}

extension [String] {
  /// Calls a closure with pointers to the texts, which are valid during the call.
  fileprivate func withCStrings<Result>(
    _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for text in self {
      offsets.append(bytes.count)
      bytes.append(contentsOf: text.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { bytes in
      var pointers = offsets.map { offset in bytes.baseAddress.map { $0 + offset } }
      return pointers.withUnsafeMutableBufferPointer { body($0) }
    }
  }
}

// MARK: - Called by C

private final class TokenizerBox {
  let tokenizer: any FTS5TokenizerImplementation
  init(_ tokenizer: any FTS5TokenizerImplementation) { self.tokenizer = tokenizer }
}

private func tokenizerIsCreated(
  context: UnsafeMutableRawPointer?, arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, count: CInt,
  result: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  guard let context, let result else { return SQLITE_ERROR }
  let factory = Unmanaged<FTS5TokenizerFactory>.fromOpaque(context).takeUnretainedValue()
  let texts = (0..<max(0, Int(count))).map { index in arguments?[index].map { String(cString: $0) } ?? "" }
  do {
    let box = TokenizerBox(try factory.make(texts))
    result.pointee = OpaquePointer(Unmanaged.passRetained(box).toOpaque())
    return SQLITE_OK
  } catch {
    return TokenizerFailure.record(error)
  }
}

private func tokenizerIsDeleted(instance: OpaquePointer?) {
  guard let instance else { return }
  Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(instance)).release()
}

private func tokenizerIsCalled(
  instance: OpaquePointer?, context: UnsafeMutableRawPointer?, flags: CInt, text: UnsafePointer<CChar>?, count: CInt,
  callback: FTS5TokenCallback?
) -> CInt {
  guard let instance, let callback, count >= 0, text != nil || count == 0 else { return SQLITE_ERROR }
  if TokenizerFailure.mayExist { TokenizerFailure.discard() }
  let box = Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(instance)).takeUnretainedValue()
  var sink = TokenSink(context: context, callback: callback, textCount: count)
  let code = withUnsafeMutablePointer(to: &sink) { sink in
    box.tokenizer.tokenize(
      text, count: count, flags: flags, context: UnsafeMutableRawPointer(sink), callback: sinkDidGetToken)
  }
  // FTS5 receives the code with which it refused a token, even if the tokenizer has ignored it.
  if sink.code != SQLITE_OK { return sink.code }
  return code == SQLITE_OK ? code : code.failureCode
}

/// The receiver of the tokens of one text.
private struct TokenSink {
  let context: UnsafeMutableRawPointer?
  let callback: FTS5TokenCallback
  let textCount: CInt

  /// The result of the callback; it is not called again after a failure.
  var code = SQLITE_OK
}

private func sinkDidGetToken(
  context: UnsafeMutableRawPointer?, flags: CInt, token: UnsafePointer<CChar>?, count: CInt, start: CInt, end: CInt
) -> CInt {
  guard let sink = context?.assumingMemoryBound(to: TokenSink.self) else { return SQLITE_MISUSE }
  if sink.pointee.code != SQLITE_OK { return sink.pointee.code }
  var code = SQLITE_MISUSE
  if count >= 0, token != nil || count == 0 {
    // A tokenizer that transforms the text may report ranges of the other text.
    let start = min(max(start, 0), sink.pointee.textCount)
    let end = min(max(end, start), sink.pointee.textCount)
    let count = indexEndsTokensAtNUL ? token.map { CInt(strnlen($0, Int(count))) } ?? 0 : count
    code = sink.pointee.callback(sink.pointee.context, flags, token, count, start, end)
  }
  if code != SQLITE_OK { sink.pointee.code = code }
  return code
}

/// Whether FTS5 indexes tokens up to a NUL character, but deletes and checks all of their bytes: such an index would be
/// damaged. SQLite 3.45 indexes all bytes.
private let indexEndsTokensAtNUL = sqlite3_libversion_number() < 3_045_000
