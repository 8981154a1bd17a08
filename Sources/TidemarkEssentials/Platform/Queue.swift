/// A list to which elements are appended, and from whose front they are removed.
struct Queue<Element> {
  private var elements: [Element?] = []

  /// The index of the first element. Those before it were removed.
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { elements.count == head }
  var last: Element? { isEmpty ? nil : self[count - 1] }

  /// - Parameter offset: The position, counted from the front.
  subscript(offset: Int) -> Element {
    get {
      guard let element = elements[head + offset] else { preconditionFailure("The element of a queue was removed") }
      return element
    }
    _modify {
      guard var element = elements[head + offset].take() else {
        preconditionFailure("The element of a queue was removed")
      }
      defer { elements[head + offset] = element }
      yield &element
    }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the first element. On average, this takes constant time.
  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    defer { removeVacancies() }
    defer { head += 1 }
    return elements[head].take()
  }

  private mutating func removeVacancies() {
    if head == elements.count {
      elements.removeAllKeepingCapacity()
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
  }
}

extension Queue: Sendable where Element: Sendable {}
