import Testing
import Tidemark
@testable import TidemarkEssentials

/// A list from whose front elements are removed, compared with an array.
@Suite struct QueueTests {
  @Test func `queues behave like arrays`() {
    var generator = SeededRandom()
    var (queue, array) = (Queue<String>(), [String]())
    for number in 0..<5_000 {
      // Long phases in which the queue grows, and in which it shrinks.
      let isGrowing = number / 300 % 2 == 0
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where !array.isEmpty:
        let place = Int.random(in: array.indices, using: &generator)
        queue[place] += " changed"
        array[place] += " changed"
      case 1 where isGrowing, 2 where isGrowing, 3 where !isGrowing && number % 5 == 0:
        queue.append("\(number)")
        array.append("\(number)")
      default: #expect(queue.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
      }
      #expect(queue.count == array.count && queue.isEmpty == array.isEmpty && queue.last == array.last)
      #expect(array.indices.allSatisfy { queue[$0] == array[$0] })
    }
  }

  @Test func `a removed element is released at once`() {
    final class Element {}
    var queue = Queue<Element>()
    weak var first: Element?
    do {
      let element = Element()
      first = element
      queue.append(element)
    }
    queue.append(Element())
    #expect(first != nil)
    _ = queue.popFirst()
    #expect(first == nil)
    #expect(queue.count == 1)
  }
}
