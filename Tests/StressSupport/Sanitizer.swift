import Foundation

/// The sanitizer under which the tests run: `Scripts/sanitize.sh` sets its options.
package enum Sanitizer {
  package static let isOfThreads = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil
  package static let isUsed = isOfThreads || ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil
}
