import Synchronization

/// The table names derived from type names. Each name is computed once.
enum InferredTableNames {
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  // Every record write needs a table name, so most types find theirs here without a lock. The first type that hashes to
  // a slot keeps it.
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
    // Metatypes are aligned, so the low bits of their addresses are equal.
    let slot = Int(bitPattern: id) >> 4 & (entryCount - 1)
    if let entry = slots[slot].load(ordering: .acquiring), entry.pointee.id == id { return entry.pointee.name }
    if let name = names.withLock({ $0[id] }) { return name }
    let name = tableName(ofTypeNamed: String(describing: type))
    names.withLock { $0[id] = name }
    keep(Entry(id: id, name: name), at: slot)
    return name
  }

  /// Stores an entry that is never released. Types and their names live as long as the process, so readers need no
  /// lock.
  private static func keep(_ entry: Entry, at slot: Int) {
    let pointer = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    pointer.initialize(to: entry)
    let (isKept, _) = slots[slot].compareExchange(
      expected: nil, desired: UnsafePointer(pointer), ordering: .releasing)
    if isKept { return }
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// Returns the type name with its first word in lowercase, without generic arguments.
  ///
  /// A word is an uppercase letter and the lowercase letters after it, or a sequence of uppercase letters except the
  /// last: `HTTPThing` has the words `HTTP` and `Thing`. Leading underscores are ignored.
  static func tableName(ofTypeNamed typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" }
    let prefix = name.prefix { $0 == "_" }
    let word = name.dropFirst(prefix.count)
    let capitals = word.prefix(while: \.isUppercase).count
    let lowercased = capitals > 1 && capitals < word.count ? capitals - 1 : capitals
    return prefix + word.prefix(lowercased).lowercased() + word.dropFirst(lowercased)
  }
}
