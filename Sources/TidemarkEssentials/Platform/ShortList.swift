/// A list that usually has one element, and then allocates no memory.
struct ShortList<Element> {
  private var first: Element?
  private var others: [Element] = []

  init() {}

  init(_ element: Element) { first = element }

  init(_ elements: [Element]) {
    first = elements.first
    others = Array(elements.dropFirst())
  }

  mutating func append(_ element: Element) {
    if first == nil {
      first = element
    } else {
      others.append(element)
    }
  }

  mutating func removeLast() {
    if others.isEmpty {
      precondition(first != nil, "Cannot remove an element from an empty list")
      first = nil
    } else {
      others.removeLast()
    }
  }
}

extension ShortList: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { first == nil ? 0 : others.count + 1 }

  subscript(position: Int) -> Element {
    get {
      if position > 0 { return others[position - 1] }
      guard let first else { preconditionFailure("Cannot access an element of an empty list") }
      return first
    }
    set {
      if position > 0 {
        others[position - 1] = newValue
      } else {
        precondition(first != nil, "Cannot change an element of an empty list")
        first = newValue
      }
    }
  }
}

extension ShortList: Sendable where Element: Sendable {}
extension ShortList: Equatable where Element: Equatable {}
