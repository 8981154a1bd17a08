import Foundation
import TidemarkEssentials

/// A watch of the entries of a log, from a revision of etcd on.
///
/// etcd reports each stored entry once, in order, and soon after it was stored. The watch ends with its connection, or
/// if etcd has compacted its first revision. A watch whose connection is interrupted, or whose server is separated from
/// the others, may be silent instead. In all of these cases, the reader reads the log.
final class EtcdWatch: Sendable {
  /// Events of a watch.
  enum Event: Sendable {
    case entries([LogEntry])

    /// Nothing was reported for some time.
    case silence
    case end
  }

  /// The entries that wait for their reader take no more memory than about this.
  private static let byteCountMax = 16 << 20

  private struct State {
    var entries: [LogEntry] = []
    var byteCount = 0
    var isSilent = false
    var hasEnded = false
  }

  /// The server that reports the entries.
  let endpoint: URL

  private let reports: Reports
  private let receiver: Task<Void, Never>

  /// Connects, and sends a request.
  ///
  /// - Parameters:
  ///   - headers: The headers besides those that each request has.
  ///   - context: The settings of TLS; nil for a connection without.
  init(
    _ request: EtcdMessage.WatchRequest, at endpoint: URL, headers: [String: String], context: TLSContext?
  ) throws {
    self.endpoint = endpoint
    let message = EtcdRequest.message(
      path: "watch", body: try JSONEncoder().encode(request), at: endpoint, headers: headers, version: .http10)
    let reports = Reports()
    self.reports = reports
    let channel = EtcdChannel(to: endpoint, context: context)
    receiver = Task {
      // The reader reads next, and reports an error that persists.
      try? await channel.perform { (wire) throws(EtcdFailure) in
        try wire.send(message)
        try reports.receive(from: wire)
      }
      channel.close()
      reports.change { $0.hasEnded = true }
    }
  }

  deinit { receiver.cancel() }

  /// Waits for the next entries, or for some time. The watch also ends if the task is cancelled.
  func next(atMost duration: Duration, clock: LogClock) async -> Event {
    if let event = reports.take() { return event }
    let timer = Task { [reports] in
      try await clock.sleep(clock.now() + duration)
      reports.change { $0.isSilent = true }
    }
    defer { timer.cancel() }
    while !Task.isCancelled {
      let count = reports.signal.count
      if let event = reports.take() { return event }
      await reports.signal.wait(after: count)
    }
    return .end
  }

  /// The reports of the server that the reader has not taken.
  private final class Reports: Sendable {
    let signal = AsyncSignal()
    private let state = ProtectedValue(State())

    func change(_ body: (inout State) -> Void) {
      state.withLock { body(&$0) }
      signal.raise()
    }

    func take() -> Event? {
      state.withLock { state in
        if !state.entries.isEmpty {
          defer { (state.entries, state.byteCount, state.isSilent) = ([], 0, false) }
          return .entries(state.entries)
        }
        if state.hasEnded { return .end }
        defer { state.isSilent = false }
        return state.isSilent ? .silence : nil
      }
    }

    /// Receives the response: a head, and a line for each report.
    func receive(from wire: EtcdWire) throws(EtcdFailure) {
      var lines = EtcdLines()
      while true {
        let bytes = try wire.receive()
        if bytes.isEmpty { return }
        for line in try lines.add(bytes) {
          guard let entries = try Self.entries(of: line) else { return }
          let isTooMuch = add(entries)
          if isTooMuch { return }
        }
      }
    }

    /// The entries of a report; nil if it ends the watch.
    private static func entries(of line: Data) throws(EtcdFailure) -> [LogEntry]? {
      do {
        let response = try JSONDecoder().decode(EtcdMessage.WatchResponse.self, from: line)
        guard let result = response.result, result.canceled != true else { return nil }
        return try (result.events ?? []).compactMap { try $0.kv?.value.map { try LogEntry(encoded: Array($0)) } }
      } catch {
        throw .lost("\(error)")
      }
    }

    /// - Returns: Whether the entries take too much memory.
    private func add(_ entries: [LogEntry]) -> Bool {
      if entries.isEmpty { return false }
      var byteCount = 0
      change { state in
        state.entries += entries
        for entry in entries { state.byteCount += entry.payload.count }
        byteCount = state.byteCount
      }
      return byteCount > EtcdWatch.byteCountMax
    }
  }
}

/// The lines of the body of a response that arrives in pieces.
struct EtcdLines {
  private var rest: [UInt8] = []
  private var hasHead = false

  /// Adds a piece, and returns the lines that are complete.
  ///
  /// - Throws: ``EtcdFailure/lost(_:)`` if the response does not have the status 200.
  mutating func add(_ piece: [UInt8]) throws(EtcdFailure) -> [Data] {
    let newline = UInt8(ascii: "\n")
    // The rest contains no end of a line.
    let hasEnd = piece.contains(newline)
    rest += piece
    if !hasEnd { return [] }
    if !hasHead {
      guard let end = Data(rest).range(of: Data("\r\n\r\n".utf8)) else { return [] }
      let words = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1] == "200" else {
        throw .lost("the watch was refused")
      }
      rest.removeFirst(end.upperBound)
      hasHead = true
    }
    guard let end = rest.lastIndex(of: newline) else { return [] }
    let lines = rest[..<end].split(separator: newline).map { Data($0) }
    rest.removeFirst(end + 1)
    return lines
  }
}
