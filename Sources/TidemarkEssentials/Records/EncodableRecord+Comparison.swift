// Comparing the encoded values of records.

extension EncodableRecord {
  /// The columns of the record and their encoded values.
  ///
  /// ```swift
  /// let player = Player(id: 1, name: "Arthur")
  /// try player.databaseDictionary["name"]    // "Arthur"
  /// ```
  ///
  /// - Throws: The errors of `encode(to:)`.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws {
      Dictionary(try encoded().lazy.map { $0 }, uniquingKeysWith: { _, last in last })
    }
  }

  /// Returns whether both records store the same values. A record that cannot be encoded is not equal to any record.
  ///
  /// ```swift
  /// if !player.databaseEquals(original) { try player.update(db) }
  /// ```
  ///
  /// - Parameter record: The other record.
  /// - Returns: Whether the encoded values of both records are equal.
  public func databaseEquals(_ record: Self) -> Bool {
    do {
      let other = try record.encoded()
      let own = try encoded()
      return own.count == other.count && own.changes(from: other).isEmpty
    } catch {
      // A record that cannot be encoded cannot be equal to a stored row.
      return false
    }
  }

  /// Returns the columns in which the records differ, with the values of the other record.
  ///
  /// ```swift
  /// var player = try Player.find(db, id: 1)
  /// let old = player
  /// player.score = 1000
  /// try player.databaseChanges(from: old)    // ["score": 10]
  /// ```
  ///
  /// A column that the other record does not encode is treated as NULL.
  ///
  /// - Parameter record: The record to compare with.
  /// - Returns: The values of the other record, by column.
  /// - Throws: The errors of `encode(to:)`.
  public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
    try encoded().changes(from: record.encoded())
  }

  /// Modifies the record, and returns the columns that changed, with their previous values.
  ///
  /// ```swift
  /// let changes = try player.databaseChanges { $0.score = 1000 }    // ["score": 10]
  /// ```
  ///
  /// - Parameter modify: A closure that modifies the record.
  /// - Returns: The previous values of the changed columns.
  /// - Throws: The errors of the closure and of `encode(to:)`.
  public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
    let old = try encoded()
    try modify(&self)
    return try encoded().changes(from: old)
  }

  /// Returns the encoded values of the record.
  func encoded() throws -> PersistenceContainer {
    var container = PersistenceContainer()
    try encode(to: &container)
    return container
  }
}

extension EncodableRecord where Self: AnyObject {
  /// Modifies the object, and returns the columns that changed, with their previous values.
  ///
  /// ```swift
  /// final class Player: Codable, EncodableRecord {
  ///   var score = 10
  /// }
  ///
  /// let player = Player()
  /// let changes = try player.databaseChanges { $0.score = 1000 }    // ["score": 10]
  /// ```
  ///
  /// - Parameter modify: A closure that modifies the object.
  /// - Returns: The previous values of the changed columns.
  /// - Throws: The errors of the closure and of `encode(to:)`.
  @_disfavoredOverload  // The method that can also replace the object is preferred, where the object is in a variable.
  public func databaseChanges(modify: (Self) throws -> Void) throws -> [String: DatabaseValue] {
    var object = self
    return try object.databaseChanges { (object: inout Self) in try modify(object) }
  }
}

extension PersistenceContainer {
  /// Returns the columns in which the containers differ, with the values of the other container.
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
  /// Returns whether SQLite stores the same value for both. SQLite stores NaN as NULL.
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
