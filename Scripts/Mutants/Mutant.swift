/// A small change of a source.
struct Mutant: Sendable {
  enum Kind: String, Sendable {
    case comparison, boundary, arithmetic, logic, condition, literal, statement, caseBody, result, range
  }

  /// The number that switches it on; unique in a run.
  var number: Int

  var kind: Kind

  /// The path of the source, relative to the module's folder.
  var file: String

  /// The names of the surrounding types and functions, separated by dots.
  var function: String

  var line: Int
  var original: String
  var changed: String
}

extension Mutant: CustomStringConvertible {
  var description: String { "\(file):\(line) in \(function): \(original)  →  \(changed)" }
}
