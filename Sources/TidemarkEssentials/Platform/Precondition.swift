/// Traps when a program violates a precondition, with a message that names it.
///
/// It replaces Swift's own function in this library, which prints no message in release
/// builds, where the message is needed most.
@inlinable
func precondition(
  _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition() { brokenRule(message(), file, line) }
}

/// Traps at a place that only a violated precondition can reach, with a message that names it.
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
