import Foundation

/// The keys of a log in etcd.
///
/// - `…last` contains the last position. Each append compares and replaces it, so it decides which append is first.
/// - `…discarded` contains the position through which entries were discarded. It is missing until the first discard.
/// - `…log/00000000000000000001` contains entry 1.
struct EtcdKeys: Sendable {
  let prefix: String

  var last: Data { Data((prefix + "last").utf8) }
  var discarded: Data { Data((prefix + "discarded").utf8) }

  /// The key of an entry. All numbers have 20 digits, so keys are in the order of the numbers.
  func entry(_ number: UInt64) -> Data {
    let digits = String(number)
    return Data((prefix + "log/" + String(repeating: "0", count: 20 - digits.count) + digits).utf8)
  }

  /// The key directly behind the key of an entry.
  func behind(_ number: UInt64) -> Data { entry(number) + [0] }

  /// The key behind the keys of all entries: `0` is the character after `/`.
  var endOfEntries: Data { Data((prefix + "log0").utf8) }
}
