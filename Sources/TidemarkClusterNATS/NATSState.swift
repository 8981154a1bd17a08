#if NATS
  import Foundation
  import TidemarkCluster

  /// The state of a log after one message of its stream. Each message contains it.
  ///
  /// A message is stored only if the one before it is still the last one, so its state is true when it is stored.
  /// There are two kinds:
  ///
  /// - *Entries* have the subject `….entry.1`, with the number of the entry.
  /// - *Marks* have the subject `….mark`. They change nothing, or the discarded position. Only the newest is kept.
  ///
  /// | Bytes | Field |
  /// | --- | --- |
  /// | 1 | version: 1 |
  /// | 40 | the position through which entries were discarded |
  /// | … | the entry; in a mark, the last position, of 40 bytes |
  struct NATSState: Sendable {
    /// The number of the message in the stream; 0 in an empty stream.
    var sequence: UInt64 = 0

    /// The identity of the message; nil in an empty stream.
    var messageID: String?

    /// The last position of the log.
    var last = LogPosition.start

    /// The position through which entries were discarded.
    var discarded = LogPosition.start

    /// The entry, if the message is one.
    var entry: LogEntry?

    private static let version: UInt8 = 1
    private static let positionByteCount = 40

    /// The contents of the message that appends an entry to the log in this state.
    func body(appending entry: LogEntry) -> [UInt8] { [Self.version] + discarded.encoded + entry.encoded }

    /// The contents of a mark for the log in this state.
    var bodyOfMark: [UInt8] { [Self.version] + discarded.encoded + last.encoded }

    /// The state before the first message.
    init() {}

    /// Decodes a message.
    init(_ message: JetStream.MessageResponse.Message) throws(LogError) {
      let bytes = Array(message.data ?? Data())
      let header = 1 + Self.positionByteCount
      guard bytes.first == Self.version, bytes.count >= header + Self.positionByteCount else {
        throw .corrupted("message \(message.seq) is not part of a log")
      }
      sequence = message.seq
      messageID = Self.messageID(in: message.hdrs)
      discarded = try LogPosition(encoded: bytes[1..<header])
      if message.subject.hasSuffix(".mark") {
        last = try LogPosition(encoded: bytes[header...])
      } else {
        let entry = try LogEntry(encoded: Array(bytes[header...]))
        self.entry = entry
        last = entry.position
      }
    }

    private static func messageID(in headers: Data?) -> String? {
      let lines = String(decoding: headers ?? Data(), as: UTF8.self).split(whereSeparator: \.isNewline)
      let prefix = "Nats-Msg-Id:"
      return lines.first { $0.hasPrefix(prefix) }.map {
        $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
      }
    }
  }
#endif
