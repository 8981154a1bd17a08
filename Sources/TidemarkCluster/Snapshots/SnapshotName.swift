import Foundation

/// The names of files in a folder of snapshots. Files with other names are foreign.
enum SnapshotName {
  private static let suffix = ".snapshot"
  private static let partialSuffix = ".partial"
  private static let numberLength = 20

  /// The name of the snapshot of a position: its number, and its digest. So the newest one is found without reading
  /// files.
  static func name(of position: LogPosition) -> String {
    let digits = String(position.number)
    return String(repeating: "0", count: numberLength - digits.count) + digits + "-\(position.digest)" + suffix
  }

  /// The position of the snapshot with a name; nil for other files.
  static func position(named name: String) -> LogPosition? {
    guard name.hasSuffix(suffix) else { return nil }
    let parts = name.dropLast(suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = UInt64(parts[0]), let digest = LogDigest(String(parts[1])) else { return nil }
    let position = LogPosition(number: number, digest: digest)
    return self.name(of: position) == name ? position : nil
  }

  /// A new name for a file until it is complete.
  static func partialName(of name: String) -> String { "\(name)-\(UUID().uuidString)\(partialSuffix)" }

  /// The name that a file gets when it is complete; nil if it is not the name of an incomplete file.
  static func completeName(ofPartial name: String) -> String? {
    guard name.hasSuffix(partialSuffix) else { return nil }
    let stem = name.dropLast(partialSuffix.count)
    let complete = stem.dropLast(37)
    guard stem.dropFirst(complete.count).first == "-", UUID(uuidString: String(stem.suffix(36))) != nil else {
      return nil
    }
    return String(complete)
  }
}
