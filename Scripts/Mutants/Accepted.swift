import Foundation

/// A survivor that was read and accepted: an entry of `Scripts/Mutants/accepted.txt`.
struct Accepted: Hashable {
  var file: String
  var function: String
  var original: String
  var changed: String

  /// Whether no test can find the mutant, because it behaves like the original. Others are accepted for a reason, and
  /// lower the score.
  var isEquivalent: Bool

  var reason: String

  /// Whether the entry describes a mutant. Equal changes in the same function have one entry.
  func matches(_ mutant: Mutant) -> Bool {
    file == mutant.file && function == mutant.function && original == mutant.original && changed == mutant.changed
  }

  static func read(_ text: String) throws -> [Accepted] {
    let entries = try Paragraphs.read(text).map { paragraph in
      func value(_ key: String) throws -> String {
        guard let value = paragraph[key], !value.isEmpty else {
          throw Failure("accepted.txt: an entry has no \(key): \(paragraph)")
        }
        return value
      }
      let isEquivalent = paragraph["equivalent"] != nil
      return try Accepted(
        file: value("file"), function: value("in"), original: value("original"), changed: value("changed"),
        isEquivalent: isEquivalent, reason: value(isEquivalent ? "equivalent" : "accepted"))
    }
    if Set(entries).count < entries.count { throw Failure("accepted.txt: two entries are equal") }
    return entries
  }
}
