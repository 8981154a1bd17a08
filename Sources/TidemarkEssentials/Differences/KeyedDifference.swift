/// The steps that transform one list into another one, for elements with an identity.
///
/// The identity finds an element again after it has moved or changed.
///
/// ```swift
/// let difference = newPlayers.keyedDifference(from: players)
/// for removal in difference.removals { print("gone:", removal.element.name) }
/// players.apply(difference)
/// ```
///
/// There are four kinds of steps. An element that keeps its place, apart from insertions and removals before it, has no
/// step; an element that has moved *and* changed has two. A difference of two lists has the least possible number of
/// moves. A difference of a request that is updated row by row moves only elements that have changed.
///
/// `apply(_:)` performs the steps in the following order, as lists of user interfaces expect it of batch updates:
///
/// 1. It takes out the `removals` and the elements to be moved, from the last one to the first one: their offsets refer
///    to the old list.
/// 2. It inserts the `insertions` and the moved elements, from the first one to the last one: their offsets refer to
///    the new list.
/// 3. It replaces the elements of `updates`.
public struct KeyedDifference<Element> {
  /// A removed or an inserted element.
  public struct Entry {
    /// The offset in the old list of a removed element, and in the new list of an inserted one.
    public let offset: Int

    /// The removed or inserted element.
    public let element: Element

    @usableFromInline
    init(offset: Int, element: Element) {
      self.offset = offset
      self.element = element
    }
  }

  /// An element whose position among the others has changed.
  public struct Move: Equatable, Sendable {
    /// The offset in the old list.
    public let oldOffset: Int

    /// The offset in the new list.
    public let offset: Int

    @usableFromInline
    init(oldOffset: Int, offset: Int) {
      self.oldOffset = oldOffset
      self.offset = offset
    }
  }

  /// An element whose value has changed.
  public struct Update {
    /// The offset in the old list.
    public let oldOffset: Int

    /// The offset in the new list.
    public let offset: Int

    /// The old value.
    public let oldElement: Element

    /// The new value.
    public let element: Element

    @usableFromInline
    init(oldOffset: Int, offset: Int, oldElement: Element, element: Element) {
      self.oldOffset = oldOffset
      self.offset = offset
      self.oldElement = oldElement
      self.element = element
    }
  }

  /// The removed elements, in the order of the old list.
  public internal(set) var removals: [Entry] = []

  /// The inserted elements, in the order of the new list.
  public internal(set) var insertions: [Entry] = []

  /// The moved elements, in the order of the new list.
  public internal(set) var moves: [Move] = []

  /// The changed elements, in the order of the new list.
  public internal(set) var updates: [Update] = []

  /// The number of elements of the old list.
  public let oldCount: Int

  @usableFromInline
  init(
    removals: [Entry], insertions: [Entry], moves: [Move], updates: [Update], oldCount: Int
  ) {
    self.removals = removals
    self.insertions = insertions
    self.moves = moves
    self.updates = updates
    self.oldCount = oldCount
  }

  /// The number of elements of the new list.
  public var count: Int { oldCount - removals.count + insertions.count }

  /// Whether the lists are equal.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}

extension KeyedDifference: Sendable where Element: Sendable {}
extension KeyedDifference.Entry: Sendable where Element: Sendable {}
extension KeyedDifference.Update: Sendable where Element: Sendable {}

extension KeyedDifference: Equatable where Element: Equatable {}
extension KeyedDifference.Entry: Equatable where Element: Equatable {}
extension KeyedDifference.Update: Equatable where Element: Equatable {}
