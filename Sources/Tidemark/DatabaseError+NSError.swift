public import Foundation
public import TidemarkEssentials

extension DatabaseError: CustomNSError {
  /// The domain of these errors, as Foundation sees them.
  public static var errorDomain: String { "GRDB.DatabaseError" }

  /// The extended result code.
  public var errorCode: Int { Int(extendedResultCode.rawValue) }

  /// The description, and the message as the failure reason.
  public var errorUserInfo: [String: Any] {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    userInfo[NSLocalizedFailureReasonErrorKey] = message
    return userInfo
  }
}
