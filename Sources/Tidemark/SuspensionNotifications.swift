public import Foundation
public import TidemarkEssentials

extension Database {
  /// Post it before the process is put to sleep: databases whose configuration says `observesSuspensionNotifications`
  /// have the statements that run fail, and take no lock until they are told to go on.
  ///
  /// ```swift
  /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
  /// ```
  ///
  /// What would write throws an error of code `SQLITE_ABORT`; what reads goes on.
  public static let suspendNotification = Notification.Name("Tidemark.Database.suspend")

  /// Post it when the process goes on: databases take locks again.
  public static let resumeNotification = Notification.Name("Tidemark.Database.resume")
}

/// Minds the notifications, as long as it lives.
final class SuspensionObserver: @unchecked Sendable {
  // Written once, before anybody else knows of them.
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
