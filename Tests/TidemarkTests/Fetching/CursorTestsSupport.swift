import Testing
import Tidemark

/// A failure that a test requests.
struct StepFailure: Error {}

/// A cursor with given steps: numbers and failures.
///
/// ```swift
/// let cursor = ScriptedCursor([1, .failure, 3])
/// ```
final class ScriptedCursor: Cursor {
  enum Step: ExpressibleByIntegerLiteral {
    case element(Int)
    case failure

    init(integerLiteral value: Int) { self = .element(value) }
  }

  private var steps: ArraySlice<Step>

  /// The number of times that the cursor was asked for an element.
  private(set) var stepCount = 0

  init(_ steps: [Step]) { self.steps = steps[...] }

  func next() throws -> Int? {
    stepCount += 1
    switch steps.popFirst() {
    case .element(let value): return value
    case .failure: throw StepFailure()
    case nil: return nil
    }
  }
}

/// A function to be tested, and its name in the report.
struct NamedFunction<Input, Output>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let call: @Sendable (Input) throws -> Output

  init(_ name: String, _ call: @escaping @Sendable (Input) throws -> Output) {
    testDescription = name
    self.call = call
  }
}

/// The two ways to consume a cursor, which must have the same result.
enum Walk: CaseIterable {
  case next
  case forEach
}

/// The elements and errors of a cursor until its end, and any that follow the end.
func walk<Element>(_ cursor: some Cursor<Element>, _ walk: Walk) -> [String] {
  var seen: [String] = []
  // A cursor that never ends is a failure, not a test that hangs.
  while seen.count < 1000 {
    do {
      switch walk {
      case .next: while let element = try cursor.next() { seen.append("\(element)") }
      case .forEach: try cursor.forEach { seen.append("\($0)") }
      }
      if let more = try cursor.next() { seen.append("after the end: \(more)") }
      return seen
    } catch is StepFailure {
      seen.append("failure")
    } catch {
      seen.append("unexpected: \(error)")
    }
  }
  return seen
}

extension ExitTest.Result {
  /// Whether the process has written a message to its standard error.
  func says(_ message: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(message)
  }
}
