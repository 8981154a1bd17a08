/// Elements with small numbers as identifiers, which are reused.
struct Slots<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var free: [Int32] = []

  var isEmpty: Bool { elements.count == free.count }
  var count: Int { elements.count - free.count }

  mutating func insert(_ element: Element) -> Int32 {
    if let number = free.popLast() {
      elements[Int(number)] = element
      return number
    }
    elements.appendSparingly(element)
    return Int32(elements.count - 1)
  }

  /// - Returns: The removed element.
  mutating func remove(_ number: Int32) -> Element {
    let element = elements[Int(number)]!
    elements[Int(number)] = nil
    free.append(number)
    return element
  }

  subscript(number: Int32) -> Element {
    // The element is neither copied for reading, nor referenced twice while it changes.
    _read { yield elements[Int(number)]! }
    _modify { yield &elements[Int(number)]! }
  }

  func forEach(_ body: (Element) -> Void) {
    for case let element? in elements { body(element) }
  }
}

extension Array {
  /// Appends an element to a large array that grows slowly: at most an eighth of its memory is unused, and not half.
  mutating func appendSparingly(_ element: Element) {
    if count == capacity { reserveCapacity(count + count / 8 + 4) }
    append(element)
  }
}
