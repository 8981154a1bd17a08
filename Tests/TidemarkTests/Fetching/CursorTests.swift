import Testing
import Tidemark

/// The common behaviour of all cursors, and of `AnyCursor`.
@Suite struct CursorTests {
  @Test func elementsEndWithNil() throws {
    let cursor = AnyCursor([1, 2])
    #expect(try cursor.next() == 1)
    #expect(try cursor.next() == 2)
    #expect(try cursor.next() == nil)
    #expect(try cursor.next() == nil)
  }

  @Test func forEachVisitsTheRemainingElements() throws {
    let cursor = AnyCursor([1, 2, 3])
    _ = try cursor.next()
    var seen: [Int] = []
    try cursor.forEach { seen.append($0) }
    #expect(seen == [2, 3])
  }

  @Test func iterationContinuesAfterForEachThrows() throws {
    let cursor = AnyCursor([1, 2, 3])
    #expect(throws: StepFailure.self) {
      try cursor.forEach { if $0 == 2 { throw StepFailure() } }
    }
    #expect(try cursor.next() == 3)
  }

  @Test func cursorsWrapCursors() throws {
    #expect(try Array(AnyCursor(ScriptedCursor([1, 2]))) == [1, 2])
  }

  @Test func cursorsWrapSequences() throws {
    #expect(try Array(AnyCursor(Set([7]))) == [7])
  }

  @Test func cursorsWrapIterators() throws {
    var iterator = [1, 2, 3].makeIterator()
    _ = iterator.next()
    #expect(try Array(AnyCursor(iterator: iterator)) == [2, 3])
  }

  @Test func cursorsWrapFunctions() throws {
    var count = 3
    let cursor = AnyCursor<Int> {
      count -= 1
      return count > 0 ? count : nil
    }
    #expect(try Array(cursor) == [2, 1])
  }

  @Test func finishedCursorsDoNotCallTheirFunction() throws {
    var callCount = 0
    let cursor = AnyCursor<Int> {
      callCount += 1
      return callCount == 1 ? nil : callCount
    }
    #expect(try cursor.next() == nil)
    #expect(try cursor.next() == nil)
    #expect(callCount == 1)
  }

  @Test func throwingFunctionsAreCalledAgain() throws {
    let cursor = AnyCursor(ScriptedCursor([1, .failure, 3]).next)
    #expect(walk(cursor, .next) == ["1", "failure", "3"])
  }

  @Test func finishedCursorsReleaseTheirSource() throws {
    weak var released: ScriptedCursor?
    let cursor: AnyCursor<Int> = {
      let base = ScriptedCursor([1])
      released = base
      return AnyCursor(base)
    }()
    #expect(try cursor.next() == 1)
    #expect(released != nil)
    #expect(try cursor.next() == nil)
    #expect(released == nil)
  }

  @Test func nilElementsDoNotEndACursor() throws {
    let cursor = AnyCursor<Int?>([1, nil, 3])
    #expect(try Array(cursor.filter { _ in true }.map { $0 }) == [1, nil, 3])
  }

  @Test func elementsNeedNotBeSendable() throws {
    let boxes = [Box(1), Box(2), Box(3)]
    let shown = try Array(AnyCursor(boxes).filter { $0.value != 2 })
    #expect(shown.count == 2 && shown[0] === boxes[0] && shown[1] === boxes[2])
  }

  private final class Box {
    var value: Int
    init(_ value: Int) { self.value = value }
  }
}
