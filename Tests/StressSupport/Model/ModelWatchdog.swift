import Foundation
import TestSupport

/// Ends the process if a call takes too long.
///
/// The thread of the commands cannot be interrupted: so the script is printed by another thread, and the process ends
/// with the code ``hangCode``.
final class ModelWatchdog: @unchecked Sendable {
  // The lock protects all properties.
  static let shared = ModelWatchdog()
  static let hangCode: CInt = 86
  private let lock = NSLock()
  private var calls: [ObjectIdentifier: (start: ContinuousClock.Instant, script: [String])] = [:]

  /// After how long a call hangs.
  var limit: Duration = .seconds(120)

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        Thread.sleep(forTimeInterval: 0.05)
        check()
      }
    }
  }

  func begin(_ world: ModelWorld) {
    lock.withLock { calls[ObjectIdentifier(world)] = (.now, world.script) }
  }

  func end(_ world: ModelWorld) { lock.withLock { _ = calls.removeValue(forKey: ObjectIdentifier(world)) } }

  private func check() {
    lock.withLock {
      guard calls.values.contains(where: { ContinuousClock.now - $0.start > limit }) else { return }
      for call in calls.values {
        print((["model: this call does not return:"] + call.script.suffix(60)).joined(separator: "\n"))
      }
      fflush(nil)
      _exit(Self.hangCode)
    }
  }
}
