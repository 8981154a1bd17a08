import Foundation

/// A watch of one key, as a source of signals.
///
/// A signal means that the key may have changed. The values are read separately, so a watch has no position to resume:
/// after it has ended, the reader reads, and begins a new watch behind the revision that it has read. For the same
/// reason, the response is not parsed: any bytes are a signal.
final class EtcdWatch: Sendable {
  /// The server that reports the changes.
  let endpoint: URL

  private let signals: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
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
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    self.continuation = continuation
    let message = EtcdSocket.message(
      path: "watch", body: try JSONEncoder().encode(request), at: endpoint, headers: headers)
    receiver = Task { await Self.receive(EtcdSocket.exchange(message, at: endpoint, context: context), continuation) }
  }

  deinit { receiver.cancel() }

  /// Waits for the next signal, or for some time.
  ///
  /// - Returns: Whether the watch continues. It ends with its connection, and with the task that waits.
  func wait(atMost duration: Duration, clock: LogClock) async -> Bool {
    let continuation = continuation
    // The end of the time is a signal, too: cancelling the wait would end the stream.
    let timer = Task {
      try await clock.sleep(clock.now() + duration)
      continuation.yield()
    }
    defer { timer.cancel() }
    var iterator = signals.makeAsyncIterator()
    return await iterator.next() != nil
  }

  private static func receive(
    _ chunks: AsyncThrowingStream<[UInt8], any Error>, _ continuation: AsyncStream<Void>.Continuation
  ) async {
    var isFirst = true
    do {
      for try await chunk in chunks where !chunk.isEmpty {
        let text = String(decoding: chunk, as: UTF8.self)
        // In both cases, no more signals would follow: the request was refused, or the watch was cancelled, because its
        // first revision was compacted.
        if isFirst, !text.hasPrefix("HTTP/1.0 200"), !text.hasPrefix("HTTP/1.1 200") { break }
        if text.contains(#""canceled":true"#) { break }
        isFirst = false
        continuation.yield()
      }
    } catch {
      // The reader reads next, and reports an error that persists.
    }
    continuation.finish()
  }
}
