/// Identifies an element of an `IDTable`. It is never used for another element: slots are reused, with a new
/// generation.
struct LiveID<Tag>: Hashable, Sendable {
  fileprivate(set) var slot: Int32
  fileprivate var generation: UInt32
}

/// Elements that are identified by values.
struct IDTable<Tag, Element: Sendable>: Sendable {
  typealias ID = LiveID<Tag>

  private var elements = Slots<Element>()

  /// The generation of each slot. It is odd while there is an element.
  private var generations: [UInt32] = []

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  /// The elements, in the order of their slots.
  var ids: [ID] {
    generations.enumerated().lazy.filter { $1 & 1 == 1 }.map { ID(slot: Int32($0), generation: $1) }
  }

  func contains(_ id: ID) -> Bool { generations[Int(id.slot)] == id.generation }

  mutating func insert(_ element: Element) -> ID {
    let slot = elements.insert(element)
    if Int(slot) == generations.count { generations.append(0) }
    generations[Int(slot)] &+= 1
    return ID(slot: slot, generation: generations[Int(slot)])
  }

  mutating func remove(_ id: ID) -> Element {
    precondition(contains(id), "There is no such element")
    generations[Int(id.slot)] &+= 1
    return elements.remove(id.slot)
  }

  /// An existing element.
  subscript(id: ID) -> Element {
    _read { yield elements[id.slot] }
    _modify { yield &elements[id.slot] }
  }
}

enum LiveQueryTag {}
enum LiveObserverTag {}

/// An observed query, and an observer, in a `LiveState`.
typealias LiveQueryID = LiveID<LiveQueryTag>
typealias LiveObserverID = LiveID<LiveObserverTag>
