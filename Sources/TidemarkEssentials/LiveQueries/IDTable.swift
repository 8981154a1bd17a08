/// Identifies an element of an `IDTable`. It is never used for another element: slots are reused, with a new
/// generation.
struct LiveID<Tag>: Hashable, Sendable {
  fileprivate(set) var slot: Int32
  fileprivate var generation: UInt32
}

/// Elements that are identified by values.
///
/// They are changed in place. The optimizer may keep a reference to an array for reading one element while another one
/// changes, and the whole array would then be copied with each commit.
struct IDTable<Tag, Element: Sendable>: ~Copyable {
  typealias ID = LiveID<Tag>

  struct Slot {
    /// It is odd while there is an element.
    var generation: UInt32 = 0
    var element: Element?
  }

  private var slots = UnsafeMutablePointer<Slot>.allocate(capacity: 4)
  private var capacity = 4
  private var slotCount = 0
  private var free: [Int32] = []

  init() {}

  deinit {
    slots.deinitialize(count: slotCount)
    slots.deallocate()
  }

  var isEmpty: Bool { count == 0 }
  var count: Int { slotCount - free.count }

  /// The elements, in the order of their slots.
  var ids: [ID] {
    (0..<slotCount).compactMap { slot in
      slots[slot].generation & 1 == 1 ? ID(slot: Int32(slot), generation: slots[slot].generation) : nil
    }
  }

  func contains(_ id: ID) -> Bool { slots[Int(id.slot)].generation == id.generation }

  mutating func insert(_ element: Element) -> ID {
    let slot = free.popLast() ?? addSlot()
    slots[Int(slot)].generation &+= 1
    slots[Int(slot)].element = element
    return ID(slot: slot, generation: slots[Int(slot)].generation)
  }

  private mutating func addSlot() -> Int32 {
    if slotCount == capacity {
      let larger = UnsafeMutablePointer<Slot>.allocate(capacity: 2 * capacity)
      larger.moveInitialize(from: slots, count: slotCount)
      slots.deallocate()
      (slots, capacity) = (larger, 2 * capacity)
    }
    (slots + slotCount).initialize(to: Slot())
    slotCount += 1
    return Int32(slotCount - 1)
  }

  mutating func remove(_ id: ID) -> Element {
    guard contains(id), let element = slots[Int(id.slot)].element.take() else {
      preconditionFailure("There is no such element")
    }
    slots[Int(id.slot)].generation &+= 1
    free.append(id.slot)
    return element
  }

  /// An existing element.
  subscript(id: ID) -> Element {
    _read { yield slots[Int(id.slot)].element! }
    _modify { yield &slots[Int(id.slot)].element! }
  }
}

enum LiveQueryTag {}
enum LiveObserverTag {}

/// An observed query, and an observer, in a `LiveState`.
typealias LiveQueryID = LiveID<LiveQueryTag>
typealias LiveObserverID = LiveID<LiveObserverTag>
