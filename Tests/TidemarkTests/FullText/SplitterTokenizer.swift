import CSQLite
import Tidemark

/// Splits texts at spaces. It records the calls of the tokenizers with the same first argument.
final class SplitterTokenizer: FTS5CustomTokenizer {
  static let name = "splitter"

  private static let log = Locked<[String: [String]]>([:])

  /// The calls of the tokenizers with a first argument, since the last call of this function.
  static func takeLog(_ argument: String) -> [String] {
    log.update { log in log.updateValue([], forKey: argument) ?? [] }
  }

  private let argument: String

  init(db: Database, arguments: [String]) throws {
    argument = arguments.first ?? ""
    log("init \(arguments)")
    if arguments.contains("misuse") {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "these arguments are wrong")
    }
    if arguments.contains("planned") { throw Planned(number: 7) }
    if arguments.contains("extended") { throw DatabaseError(resultCode: .SQLITE_IOERR_READ) }
  }

  deinit { log("deinit") }

  private func log(_ entry: String) {
    Self.log.update { $0[argument, default: []].append(entry) }
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    log("tokenize \(tokenization.rawValue) \(nText)")
    guard let pText else { return SQLITE_OK }
    var start: CInt = 0
    for end in 0...nText where end == nText || pText[Int(end)] == 32 {
      if end > start {
        let code = tokenCallback(context, 0, pText + Int(start), end - start, start, end)
        if code != SQLITE_OK { return code }
      }
      start = end + 1
    }
    return SQLITE_OK
  }

  /// A database with the tokenizer.
  static func makeQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in db.add(tokenizer: SplitterTokenizer.self) }
    return try DatabaseQueue(configuration: configuration)
  }
}

extension Database {
  /// Creates an FTS5 table `d(a)`.
  func createDocuments(_ tokenizer: FTS5TokenizerDescriptor) throws {
    try create(virtualTable: "d", using: FTS5()) { t in
      t.column("a")
      t.tokenizer = tokenizer
    }
  }
}
