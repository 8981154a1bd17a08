import Foundation

/// The parsed command line.
enum DemoCommand: Equatable, Sendable {
  case help
  case version
  case world(WorldOptions)
  case watch(WatchOptions)
  case node(NodeOptions)
}

/// How the demo market starts.
struct WorldOptions: Equatable, Sendable {
  var writerCount = 4
  var isPlain = false
}

extension DemoCommand {
  /// - Throws: `Failure.usage` if the command line is invalid.
  init(_ arguments: [String]) throws {
    var reader = ArgumentReader(arguments)
    if arguments.prefix(while: { $0 != "--" }).contains(where: { ["-h", "--help"].contains($0) }) {
      self = .help
    } else if arguments.first == "--version" {
      self = .version
    } else if arguments.first == "watch" {
      reader.skip()
      self = .watch(try WatchOptions(&reader))
    } else if arguments.first == "node" {
      reader.skip()
      self = .node(try NodeOptions(&reader))
    } else {
      self = .world(try WorldOptions(&reader))
    }
  }
}

extension WorldOptions {
  init(_ reader: inout ArgumentReader) throws {
    while let argument = try reader.next() {
      switch argument {
      case .option("--writers"): writerCount = try reader.integer(of: "--writers", in: 0...World.writerCountMax)
      case .option("--plain"): isPlain = true
      case .option(let name): throw Failure.usage("There is no option \(name) here")
      case .value(let value):
        throw Failure.usage("\(value) is no command. To watch a database: Demo watch FILE \"SELECT …\"")
      }
    }
  }
}

extension NodeOptions {
  init(_ reader: inout ArgumentReader) throws {
    while let argument = try reader.next() {
      switch argument {
      case .option("--folder"): folder = try reader.value(of: "--folder")
      case .option("--etcd"): endpoints = try reader.urls(of: "--etcd")
      case .option("--writers"): writerCount = try reader.integer(of: "--writers", in: 0...World.writerCountMax)
      case .option("--plain"): isPlain = true
      case .option(let name): throw Failure.usage("There is no option \(name) here")
      case .value(let value):
        if !name.isEmpty { throw Failure.usage("A node has one name, and not also \(value)") }
        name = value
      }
    }
    if name.isEmpty || folder.isEmpty || endpoints.isEmpty {
      throw Failure.usage("A node requires a name, a folder and servers: Demo node NAME --folder FOLDER --etcd URL,URL")
    }
  }
}

extension WatchOptions {
  init(_ reader: inout ArgumentReader) throws {
    var values: [String] = []
    while let argument = try reader.next() {
      switch argument {
      case .option("--interval"): interval = try reader.seconds(of: "--interval")
      case .option("--plain"): isPlain = true
      case .option("--format"): format = try reader.format(of: "--format")
      case .option("--count"): countMax = try reader.integer(of: "--count", in: 1...Int.max)
      case .option("--rows"): rowCountMax = try reader.integer(of: "--rows", in: 1...1_000_000)
      case .option(let name): throw Failure.usage("There is no option \(name) here")
      case .value(let value): values.append(value)
      }
    }
    guard let path = values.first else { throw Failure.usage("Which database? Demo watch FILE \"SELECT …\"") }
    self.path = path
    queries = Array(values.dropFirst())
    if queries.isEmpty { throw Failure.usage("Which query? Demo watch FILE \"SELECT …\"") }
    // An option that applies to plain mode only also selects it.
    if format != nil || countMax != nil || rowCountMax != nil { isPlain = true }
  }
}

/// Iterates over the arguments.
struct ArgumentReader {
  private var rest: ArraySlice<String>
  private var hasOptions = true

  /// The value after the equals sign of the last option.
  private var attached: String?

  enum Argument {
    case option(String)
    case value(String)
  }

  init(_ arguments: [String]) {
    rest = arguments[...]
  }

  mutating func skip() { rest.removeFirst() }

  mutating func next() throws -> Argument? {
    if attached != nil { throw Failure.usage("An option was given a value that it has no use for") }
    guard let argument = rest.popFirst() else { return nil }
    if hasOptions, argument == "--" {
      hasOptions = false
      return try next()
    }
    guard hasOptions, argument.hasPrefix("-"), argument != "-" else { return .value(argument) }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 { attached = String(parts[1]) }
    return .option(String(parts[0]))
  }

  mutating func value(of option: String) throws -> String {
    defer { attached = nil }
    guard let value = attached ?? rest.popFirst() else { throw Failure.usage("\(option) needs a value") }
    return value
  }

  mutating func integer(of option: String, in range: ClosedRange<Int>) throws -> Int {
    let text = try value(of: option)
    guard let number = Int(text), range.contains(number) else {
      let bounds =
        range.upperBound == .max ? "from \(range.lowerBound) on" : "\(range.lowerBound) to \(range.upperBound)"
      throw Failure.usage("\(option) takes a whole number, \(bounds), and not \(text)")
    }
    return number
  }

  /// URLs that are separated by commas.
  mutating func urls(of option: String) throws -> [URL] {
    try value(of: option).split(separator: ",").map { text in
      guard let url = URL(string: String(text)), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
        throw Failure.usage("\(option) takes URLs such as http://127.0.0.1:2379, and not \(text)")
      }
      return url
    }
  }

  mutating func seconds(of option: String) throws -> Double {
    let text = try value(of: option)
    guard let number = Double(text), (0...86_400).contains(number) else {
      throw Failure.usage("\(option) takes a number of seconds, 0 to 86400, and not \(text)")
    }
    return number
  }

  mutating func format(of option: String) throws -> PlainFormat {
    let text = try value(of: option)
    // JSON lines have several names.
    if let format = PlainFormat(rawValue: ["jsonl": "json", "jsonlines": "json"][text] ?? text) { return format }
    throw Failure.usage("\(option) takes text, csv or json, and not \(text)")
  }
}
