extension QueryType {
  /// Returns an insertion of a row whose columns are the properties of a value.
  ///
  /// ```swift
  /// struct User: Encodable {
  ///   let name: String
  /// }
  /// try db.run(users.insert(User(name: "test")))
  /// ```
  ///
  /// Properties that are nil are omitted, so their columns get their default values.
  ///
  /// - Parameters:
  ///   - encodable: The value.
  ///   - userInfo: Contextual information for the encoder.
  ///   - otherSetters: The values of additional columns.
  /// - Returns: The statement.
  /// - Throws: An `EncodingError` if the value cannot be encoded as a row.
  public func insert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(try encodable.setters(userInfo) + otherSetters)
  }

  /// Returns an insertion of a row with a conflict resolution. Its columns are the properties of a value.
  ///
  /// ```swift
  /// try db.run(users.insert(or: .replace, encodable: User(id: 1, email: "alice@mac.com")))
  /// ```
  ///
  /// - Parameters:
  ///   - onConflict: The resolution of a conflict with an existing row.
  ///   - encodable: The value.
  ///   - userInfo: Contextual information for the encoder.
  ///   - otherSetters: The values of additional columns.
  /// - Returns: The statement.
  /// - Throws: An `EncodingError` if the value cannot be encoded as a row.
  public func insert(
    or onConflict: OnConflict, encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(or: onConflict, try encodable.setters(userInfo) + otherSetters)
  }

  /// Returns an insertion of rows whose columns are the properties of values.
  ///
  /// If a property is nil in some of the values only, their rows get NULL.
  ///
  /// ```swift
  /// try db.run(users.insertMany([User(id: 1, email: "alice@mac.com"), User(id: 2, email: "betty@mac.com")]))
  /// ```
  ///
  /// - Parameters:
  ///   - encodables: The values.
  ///   - userInfo: Contextual information for the encoder.
  ///   - otherSetters: The values of additional columns.
  /// - Returns: The statement.
  /// - Throws: An `EncodingError` if one of the values cannot be encoded as a row.
  public func insertMany(
    _ encodables: [any Encodable], userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Insert {
    let rows = try encodables.map { try $0.setters(userInfo) + otherSetters }
    let columns = Set(rows.first?.map(\.column.template) ?? [])
    if rows.allSatisfy({ Set($0.map(\.column.template)) == columns }) { return insertMany(rows) }
    // With nil encoded as NULL, all rows have the same columns, in the order of the properties.
    return insertMany(try encodables.map { try $0.setters(userInfo, nilIsNull: true) + otherSetters })
  }

  /// Returns an insertion of a row that updates an existing row on conflict. Its columns are the properties of a value.
  ///
  /// ```swift
  /// try db.run(users.upsert(User(id: 1, email: "alice@mac.com"), onConflictOf: email))
  /// ```
  ///
  /// - Parameters:
  ///   - encodable: The value.
  ///   - userInfo: Contextual information for the encoder.
  ///   - otherSetters: The values of additional columns.
  ///   - conflicting: The column with a uniqueness constraint.
  /// - Returns: The statement.
  /// - Throws: An `EncodingError` if the value cannot be encoded as a row.
  public func upsert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = [],
    onConflictOf conflicting: any Expressible
  ) throws -> Insert {
    upsert(try encodable.setters(userInfo) + otherSetters, onConflictOf: conflicting)
  }

  /// Returns an update of the rows of the query, which sets their columns to the properties of a value.
  ///
  /// Properties that are nil are omitted, so their columns are unchanged.
  ///
  /// ```swift
  /// try db.run(users.filter(id == 1).update(User(id: 1, email: "alice@me.com")))
  /// ```
  ///
  /// - Parameters:
  ///   - encodable: The value.
  ///   - userInfo: Contextual information for the encoder.
  ///   - otherSetters: The values of additional columns.
  /// - Returns: The statement.
  /// - Throws: An `EncodingError` if the value cannot be encoded as a row.
  public func update(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Update {
    update(try encodable.setters(userInfo) + otherSetters)
  }
}
