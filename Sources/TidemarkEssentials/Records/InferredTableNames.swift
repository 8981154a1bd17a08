import Synchronization

/// The names of tables as they follow from those of types. They are worked out once.
enum InferredTableNames {
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  // Most types find their name here, without lock: it is asked for each record that is written. The first type that
  // comes to a place keeps it.
  private static let entryCount = 64
  private nonisolated(unsafe) static let slots = {
    let slots = UnsafeMutablePointer<Atomic<UnsafePointer<Entry>?>>.allocate(capacity: entryCount)
    for index in 0..<entryCount { (slots + index).initialize(to: Atomic(nil)) }
    return slots
  }()

  private struct Entry {
    let id: ObjectIdentifier
    let name: String
  }

  static func name(of type: any Any.Type) -> String {
    let id = ObjectIdentifier(type)
    // Types are far apart in memory: the low bits tell nothing.
    let slot = Int(bitPattern: id) >> 4 & (entryCount - 1)
    if let entry = slots[slot].load(ordering: .acquiring), entry.pointee.id == id { return entry.pointee.name }
    if let name = names.withLock({ $0[id] }) { return name }
    let name = tableName(ofTypeNamed: String(describing: type))
    names.withLock { $0[id] = name }
    keep(Entry(id: id, name: name), at: slot)
    return name
  }

  /// Types are not forgotten, and neither are their names: whoever finds an entry may read it for ever.
  private static func keep(_ entry: Entry, at slot: Int) {
    let pointer = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    pointer.initialize(to: entry)
    let (isKept, _) = slots[slot].compareExchange(
      expected: nil, desired: UnsafePointer(pointer), ordering: .releasing)
    if isKept { return }
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// The first word in lower case, without the arguments of generic types.
  ///
  /// A word is a capital and what follows it, or several capitals but the last one: `HTTPThing` has the words
  /// `HTTP` and `Thing`. Underscores in front of it do not count.
  static func tableName(ofTypeNamed typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" }
    let prefix = name.prefix { $0 == "_" }
    let word = name.dropFirst(prefix.count)
    let capitals = word.prefix(while: \.isUppercase).count
    let lowercased = capitals > 1 && capitals < word.count ? capitals - 1 : capitals
    return prefix + word.prefix(lowercased).lowercased() + word.dropFirst(lowercased)
  }
}
