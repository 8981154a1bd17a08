/// What has to be done with a list to make another one of it, where each element is somebody: it has an identity, by
/// which it is found again when it has moved or changed.
///
/// ```swift
/// let difference = newPlayers.keyedDifference(from: players)
/// for removal in difference.removals { print("gone:", removal.element.name) }
/// players.apply(difference)
/// ```
///
/// There are four kinds of steps. What stays where it is, but for those that come and go before it, is in none of them;
/// an element that has moved *and* changed is in two. Of two lists that are compared, the elements that move are the
/// fewest that have to; of a request whose rows are followed, they are some that were changed.
///
/// Who makes the steps one by one does it in this order, and every place is then that of the list at hand:
///
/// 1. takes out `removals` and those that are to move, from the last one to the first one: their places are those of
///    the old list;
/// 2. puts in `insertions` and those that move, from the first one to the last one: their places are those of the new
///    list;
/// 3. replaces the elements of `updates`.
///
/// That is what a list of a user interface expects that is changed at once, and what `apply` does.
public struct KeyedDifference<Element> {
  /// An element that is gone, or has come.
  public struct Entry {
    /// Where it stood in the old list, or stands in the new one.
    public let offset: Int

    /// What it was, or is.
    public let element: Element

    @usableFromInline
    init(offset: Int, element: Element) {
      self.offset = offset
      self.element = element
    }
  }

  /// An element that stands before or behind others than it did.
  public struct Move: Equatable, Sendable {
    /// Where it stood in the old list.
    public let oldOffset: Int

    /// Where it stands in the new list.
    public let offset: Int

    @usableFromInline
    init(oldOffset: Int, offset: Int) {
      self.oldOffset = oldOffset
      self.offset = offset
    }
  }

  /// An element that is not what it was.
  public struct Update {
    /// Where it stood in the old list.
    public let oldOffset: Int

    /// Where it stands in the new list.
    public let offset: Int

    /// What it was.
    public let oldElement: Element

    /// What it is.
    public let element: Element

    @usableFromInline
    init(oldOffset: Int, offset: Int, oldElement: Element, element: Element) {
      self.oldOffset = oldOffset
      self.offset = offset
      self.oldElement = oldElement
      self.element = element
    }
  }

  /// The elements that are gone, in the order of the old list.
  public internal(set) var removals: [Entry] = []

  /// The elements that have come, in the order of the new list.
  public internal(set) var insertions: [Entry] = []

  /// The elements that stand somewhere else, in the order of the new list.
  public internal(set) var moves: [Move] = []

  /// The elements that have changed, in the order of the new list.
  public internal(set) var updates: [Update] = []

  /// How many elements the old list has.
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

  /// How many elements the new list has.
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
