/// Traps when a program broke a rule, with a sentence that says which.
///
/// It stands in for Swift's own function everywhere in this library: that one says nothing in release
/// builds, where the sentence is needed most.
@inlinable
func precondition(
  _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition() { brokenRule(message(), file, line) }
}

/// Traps where a program cannot get without having broken a rule, with a sentence that says which.
@inlinable
func preconditionFailure(
  _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  brokenRule(message(), file, line)
}

@inline(never)
@usableFromInline
func brokenRule(_ message: String, _ file: StaticString, _ line: UInt) -> Never {
  fatalError(message, file: file, line: line)
}
