extension QueryType {
  /// Inserts a row whose columns are the properties of a value.
  ///
  /// ```swift
  /// struct User: Encodable {
  ///   let name: String
  /// }
  /// try db.run(users.insert(User(name: "test")))
  /// ```
  ///
  /// A property that is nil is left out.
  ///
  /// - parameter encodable: The value.
  /// - parameter userInfo: What the value is told when it encodes itself.
  /// - parameter otherSetters: Columns that are set beside those of the value.
  public func insert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(try encodable.setters(userInfo) + otherSetters)
  }

  /// Inserts a row whose columns are the properties of a value, or does something else when it is there already.
  public func insert(
    or onConflict: OnConflict, encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(or: onConflict, try encodable.setters(userInfo) + otherSetters)
  }

  /// Inserts rows whose columns are the properties of values. Where one of them has a property that is nil, and another
  /// one has not, the row has NULL.
  public func insertMany(
    _ encodables: [any Encodable], userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Insert {
    let rows = try encodables.map { try $0.setters(userInfo) + otherSetters }
    let columns = Set(rows.first?.map(\.column.template) ?? [])
    if rows.allSatisfy({ Set($0.map(\.column.template)) == columns }) { return insertMany(rows) }
    // With all properties, columns are in the order of these.
    return insertMany(try encodables.map { try $0.setters(userInfo, nilIsNull: true) + otherSetters })
  }

  /// Inserts a row whose columns are the properties of a value, or updates the one that is there already.
  public func upsert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = [],
    onConflictOf conflicting: any Expressible
  ) throws -> Insert {
    upsert(try encodable.setters(userInfo) + otherSetters, onConflictOf: conflicting)
  }

  /// Updates the rows of the query: their columns become the properties of a value. Those that are nil stay what they
  /// are.
  public func update(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Update {
    update(try encodable.setters(userInfo) + otherSetters)
  }
}
