import Foundation

/// A response of HTTP that arrives in pieces of any size.
///
/// States: the head is incomplete; the body is incomplete, in one of three forms; the response is complete. The form is
/// a number of bytes, chunks, or all bytes until the end of the connection. All other forms are errors.
struct EtcdResponse: Sendable {
  private enum State {
    case head
    case bytes(rest: Int)
    case chunkSize
    case chunk(rest: Int)
    case chunkEnd
    case trailer
    case bytesUntilEnd
    case complete
  }

  /// The longest head, and the longest line between chunks.
  private static let lineByteCountMax = 64 << 10

  /// The longest body. etcd itself returns at most 1.5 MB per entry, and a read returns a few entries.
  private static let bodyByteCountMax = 256 << 20

  private var state = State.head

  /// Received bytes that are not a part of the body: the begin of a head or of a line.
  private var pending: [UInt8] = []

  private var closesConnection = false

  /// The status; 0 before the head is complete.
  private(set) var status = 0

  private(set) var body = Data()

  /// Whether the server has sent all of the response.
  var isComplete: Bool { if case .complete = state { true } else { false } }

  /// Whether the connection can be used for another request.
  var keepsConnection: Bool { isComplete && !closesConnection && pending.isEmpty }

  /// Adds received bytes.
  ///
  /// - Throws: ``EtcdFailure/lost(_:)`` if they are not a response.
  mutating func add(_ bytes: [UInt8]) throws(EtcdFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch state {
      case .head:
        guard let head = try takeHead(&rest) else { return }
        try begin(head)
      case .bytes(let count):
        let left = try takeBody(count, &rest)
        state = left == 0 ? .complete : .bytes(rest: left)
      case .chunkSize:
        guard let line = try takeLine(&rest) else { return }
        // Extensions of a chunk follow a semicolon.
        let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard digits.utf8.count <= 8, !digits.hasPrefix("+"), let count = UInt32(digits, radix: 16) else {
          throw .lost("the response has an invalid chunk")
        }
        state = count == 0 ? .trailer : .chunk(rest: Int(count))
      case .chunk(let count):
        let left = try takeBody(count, &rest)
        state = left == 0 ? .chunkEnd : .chunk(rest: left)
      case .chunkEnd:
        guard let line = try takeLine(&rest) else { return }
        if !line.isEmpty { throw .lost("the response has an invalid chunk") }
        state = .chunkSize
      case .trailer:
        guard let line = try takeLine(&rest) else { return }
        if line.isEmpty { state = .complete }
      case .bytesUntilEnd: _ = try takeBody(rest.count, &rest)
      case .complete:
        // The server has sent more than was requested.
        pending += rest
        return
      }
    }
  }

  /// Accepts the end of the connection.
  ///
  /// - Throws: ``EtcdFailure/lost(_:)`` if the response is incomplete.
  mutating func end() throws(EtcdFailure) {
    switch state {
    case .complete: break
    case .bytesUntilEnd: state = .complete
    case .head:
      throw .lost(
        pending.isEmpty
          ? "the server has closed the connection without a response: does it require https?"
          : "the connection was lost within the head of a response")
    default: throw .lost("the connection was lost within a response")
    }
    closesConnection = true
  }

  // MARK: - Parts

  /// Decides about the form of the body.
  private mutating func begin(_ head: String) throws(EtcdFailure) {
    let lines = head.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), 100...999 ~= status else {
      throw .lost("the response is not HTTP")
    }
    var length: Int?
    var isChunked = false
    closesConnection = words[0] != "HTTP/1.1"
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw .lost("the response is not HTTP") }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      switch line[..<colon].lowercased() {
      case "content-length":
        guard let count = Int(value), 0...Self.bodyByteCountMax ~= count, length ?? count == count else {
          throw .lost("the response has an invalid length")
        }
        length = count
      case "transfer-encoding":
        guard value.lowercased() == "chunked" else { throw .lost("the response has an unknown encoding") }
        isChunked = true
      case "connection": if value.lowercased().contains("close") { closesConnection = true }
      default: break
      }
    }
    // Informational responses precede the final one.
    if status < 200 { return }
    self.status = status
    if isChunked {
      if length != nil { throw .lost("the response has two lengths") }
      state = .chunkSize
    } else if status == 204 || status == 304 {
      state = .complete
    } else if let length {
      state = length == 0 ? .complete : .bytes(rest: length)
    } else {
      closesConnection = true
      state = .bytesUntilEnd
    }
  }

  /// Moves bytes into the body.
  ///
  /// - Returns: How many are missing.
  private mutating func takeBody(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws(EtcdFailure) -> Int {
    let part = rest.prefix(count)
    if body.count + part.count > Self.bodyByteCountMax { throw .lost("the response is too large") }
    body += part
    rest = rest.dropFirst(part.count)
    return count - part.count
  }

  /// Returns the lines until an empty one; nil if they are incomplete.
  private mutating func takeHead(_ rest: inout ArraySlice<UInt8>) throws(EtcdFailure) -> String? {
    try take("\r\n\r\n", &rest)
  }

  /// Returns the next line; nil if it is incomplete.
  private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(EtcdFailure) -> String? {
    try take("\r\n", &rest)
  }

  /// Returns the text before a terminator; nil if the terminator has not arrived.
  private mutating func take(
    _ terminator: StaticString, _ rest: inout ArraySlice<UInt8>
  ) throws(EtcdFailure) -> String? {
    let terminator = terminator.withUTF8Buffer { Array($0) }
    while let byte = rest.popFirst() {
      pending.append(byte)
      if pending.count > Self.lineByteCountMax { throw .lost("the head of the response is too long") }
      if byte == terminator.last, pending.suffix(terminator.count).elementsEqual(terminator) {
        defer { pending = [] }
        return String(decoding: pending.dropLast(terminator.count), as: UTF8.self)
      }
    }
    return nil
  }
}
