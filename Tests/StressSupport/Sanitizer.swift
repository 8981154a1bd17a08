import Foundation

/// Which sanitizer the tests run under: `Scripts/sanitize.sh` tells it its options.
package enum Sanitizer {
  package static let isOfThreads = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil
  package static let isUsed = isOfThreads || ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil
}
