public import Foundation
public import TidemarkEssentials

extension Database {
  /// Post this notification before the process is suspended. Databases with `observesSuspensionNotifications` in their
  /// configuration then interrupt their running statements, and take no locks until they are resumed.
  ///
  /// ```swift
  /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
  /// ```
  ///
  /// Writes throw an error of code `SQLITE_ABORT`. Reads continue.
  public static let suspendNotification = Notification.Name("Tidemark.Database.suspend")

  /// Post this notification after the process is resumed: databases can take locks again.
  public static let resumeNotification = Notification.Name("Tidemark.Database.resume")
}

/// Observes the notifications while it exists.
final class SuspensionObserver: @unchecked Sendable {
  // Written in the initializer only.
  private let tokens: [any NSObjectProtocol]

  init(_ suspending: FoundationServices.Suspending) {
    let center = NotificationCenter.default
    tokens = [
      center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) { _ in suspending.suspend() },
      center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) { _ in suspending.resume() },
    ]
  }

  deinit {
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }
}
