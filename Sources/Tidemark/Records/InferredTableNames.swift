/// The names of tables as they follow from those of types. They are worked out once.
enum InferredTableNames {
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  static func name(of type: any Any.Type) -> String {
    let id = ObjectIdentifier(type)
    if let name = names.withLock({ $0[id] }) { return name }
    let name = tableName(ofTypeNamed: String(describing: type))
    names.withLock { $0[id] = name }
    return name
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
