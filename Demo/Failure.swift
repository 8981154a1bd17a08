import Foundation

/// The reason why the program ends unsuccessfully.
enum Failure: Error, Equatable {
  /// The command line is invalid.
  case usage(String)

  /// The text is not a query, or not one for this database.
  case query(sql: String, String)

  /// The file cannot be watched.
  case file(path: String, String)

  case noKeyboard

  /// The reader of standard output has closed it.
  case closedOutput
  case systemCall(String, code: Int32)

  static func system(_ call: String) -> Failure { .systemCall(call, code: errno) }

  /// The exit status, as documented by `--help`.
  var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .query: 65
    case .file: 66
    case .noKeyboard, .closedOutput, .systemCall: 1
    }
  }

  /// The description of the problem, without its subject.
  var reason: String {
    switch self {
    case .query(_, let why), .file(_, let why): why
    case .usage, .noKeyboard, .closedOutput, .systemCall: sentence
    }
  }

  var sentence: String {
    switch self {
    case .usage(let sentence): sentence
    case .query(let sql, let why): "\(why)\n  in: \(sql)"
    case .file(let path, let why): "\(path): \(why)"
    case .noKeyboard: "There is no terminal to read keys from. With --plain, none is needed."
    case .closedOutput: "Nobody reads the output"
    case .systemCall(let call, let code): "\(call): \(String(cString: strerror(code)))"
    }
  }
}
