// What a record stores, compared with what another one does.

extension EncodableRecord {
  /// The columns of the record and their values.
  ///
  /// - throws: What `encode(to:)` throws.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws {
      Dictionary(try encoded().lazy.map { $0 }, uniquingKeysWith: { _, last in last })
    }
  }

  /// Whether both records store the same. A record that cannot be encoded equals none.
  public func databaseEquals(_ record: Self) -> Bool {
    do {
      let other = try record.encoded()
      let own = try encoded()
      return own.count == other.count && own.changes(from: other).isEmpty
    } catch {
      // Stored it cannot be, so there is nothing in the database that could be the same.
      return false
    }
  }

  /// The columns in which both records differ, and what the other one stores there.
  ///
  /// ```swift
  /// var player = try Player.find(db, id: 1)
  /// let old = player
  /// player.score = 1000
  /// try player.databaseChanges(from: old)    // ["score": 10]
  /// ```
  ///
  /// A column that the other record does not store counts as NULL.
  ///
  /// - throws: What `encode(to:)` throws.
  public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
    try encoded().changes(from: record.encoded())
  }

  /// Modifies the record. Answers the columns that are different now, and what the record stored there before.
  ///
  /// - throws: What the closure and `encode(to:)` throw.
  public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
    let old = try encoded()
    try modify(&self)
    return try encoded().changes(from: old)
  }

  /// What the record stores.
  func encoded() throws -> PersistenceContainer {
    var container = PersistenceContainer()
    try encode(to: &container)
    return container
  }
}

extension PersistenceContainer {
  /// The columns in which both differ, and the values of the other one there.
  func changes(from old: PersistenceContainer) -> [String: DatabaseValue] {
    var changes: [String: DatabaseValue] = [:]
    for (column, value) in self {
      let oldValue = old.storedValue(of: column) ?? .null
      if !value.isStoredLike(oldValue) { changes[column] = oldValue }
    }
    return changes
  }
}

extension DatabaseValue {
  /// Whether SQLite stores the same for both: it has no NaN, and stores NULL for it.
  func isStoredLike(_ other: DatabaseValue) -> Bool {
    self == other || readsAsNull && other.readsAsNull
  }

  private var readsAsNull: Bool {
    switch storage {
    case .null: true
    case .double(let double): double.isNaN
    case .int64, .string, .blob: false
    }
  }
}
