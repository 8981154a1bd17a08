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
    var element: Element?

    /// It is odd while there is an element.
    var generation: UInt32 = 0
  }

  // In blocks: a growing table is not copied, and has few unused slots.
  private var blocks: [UnsafeMutablePointer<Slot>] = []
  private static var blockSize: Int { 32 }
  private var slotCount = 0
  private var free: [Int32] = []

  init() {}

  deinit {
    for (index, block) in blocks.enumerated() {
      block.deinitialize(count: min(Self.blockSize, slotCount - index * Self.blockSize))
      block.deallocate()
    }
  }

  private func slot(_ number: Int32) -> UnsafeMutablePointer<Slot> {
    let (block, index) = Int(number).quotientAndRemainder(dividingBy: Self.blockSize)
    return blocks[block] + index
  }

  var isEmpty: Bool { count == 0 }
  var count: Int { slotCount - free.count }

  /// The elements, in the order of their slots.
  var ids: [ID] {
    (0..<Int32(slotCount)).compactMap { number in
      let generation = slot(number).pointee.generation
      return generation & 1 == 1 ? ID(slot: number, generation: generation) : nil
    }
  }

  func contains(_ id: ID) -> Bool { slot(id.slot).pointee.generation == id.generation }

  mutating func insert(_ element: Element) -> ID {
    let number = free.popLast() ?? addSlot()
    let slot = slot(number)
    slot.pointee.generation &+= 1
    slot.pointee.element = element
    return ID(slot: number, generation: slot.pointee.generation)
  }

  private mutating func addSlot() -> Int32 {
    if slotCount == blocks.count * Self.blockSize { blocks.append(.allocate(capacity: Self.blockSize)) }
    let number = Int32(slotCount)
    slot(number).initialize(to: Slot())
    slotCount += 1
    return number
  }

  mutating func remove(_ id: ID) -> Element {
    let slot = slot(id.slot)
    guard slot.pointee.generation == id.generation, let element = slot.pointee.element.take() else {
      preconditionFailure("There is no such element")
    }
    slot.pointee.generation &+= 1
    free.append(id.slot)
    return element
  }

  /// An existing element.
  subscript(id: ID) -> Element {
    _read { yield slot(id.slot).pointee.element! }
    _modify { yield &slot(id.slot).pointee.element! }
  }
}

enum LiveQueryTag {}
enum LiveObserverTag {}

/// An observed query, and an observer, in a `LiveState`.
typealias LiveQueryID = LiveID<LiveQueryTag>
typealias LiveObserverID = LiveID<LiveObserverTag>
