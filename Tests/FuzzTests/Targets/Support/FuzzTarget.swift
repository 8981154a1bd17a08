/// A part of the library, and the check that each input must pass.
///
/// `make fuzz` calls the check with inputs that libFuzzer derives from the corpus; `FuzzTests` calls it with the files
/// of the corpus.
public struct FuzzTarget: Sendable {
  /// The name of the target and of its folder in `Tests/FuzzTests/Corpus`.
  public let name: String

  /// The maximum number of bytes of an input.
  public let maxLength: Int

  private let body: @Sendable (inout FuzzInput) throws -> Void

  init(_ name: String, maxLength: Int = 512, _ body: @escaping @Sendable (inout FuzzInput) throws -> Void) {
    self.name = name
    self.maxLength = maxLength
    self.body = body
  }

  /// Checks the library with an input.
  ///
  /// - Throws: A ``FuzzFailure``, or an error that the library must not throw.
  public func check(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    try body(&input)
  }

  /// All targets, in the order in which `make fuzz` runs them.
  public static let all: [FuzzTarget] = sqlTargets + valueTargets + changeTargets + fileTargets
}

/// A property of the library that does not hold for an input.
public struct FuzzFailure: Error, CustomStringConvertible {
  /// The property, and the values for which it does not hold.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a failure if a property does not hold.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw FuzzFailure(message()) }
}

/// Returns a value that must exist.
func unwrap<Value>(_ value: Value?, _ message: @autoclosure () -> String) throws -> Value {
  guard let value else { throw FuzzFailure(message()) }
  return value
}
