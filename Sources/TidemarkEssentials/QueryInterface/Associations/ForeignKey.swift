/// The columns of an association, where the schema does not determine them.
///
/// The foreign keys of the database schema define how tables are associated. Name the columns when there are several
/// foreign keys between two tables, or none:
///
/// ```swift
/// struct Transfer: TableRecord {
///   static let origin = belongsTo(City.self, key: "origin", using: ForeignKey(["fromCityId"]))
///   static let target = belongsTo(City.self, key: "target", using: ForeignKey(["toCityId"]))
/// }
/// ```
///
/// The origin is the table that declares the foreign key. For `hasOne` and `hasMany` associations, this is the table of
/// the associated record.
public struct ForeignKey: Equatable, Sendable {
  let originColumns: [String]
  let destinationColumns: [String]?

  /// Creates a foreign key from the names of its columns.
  ///
  /// - Parameters:
  ///   - originColumns: The columns of the table that declares the foreign key.
  ///   - destinationColumns: The columns that the foreign key refers to. Nil stands for the columns in the database
  ///     schema, or else for the primary key.
  public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }

  /// Creates a foreign key from its columns.
  ///
  /// - Parameters:
  ///   - originColumns: The columns of the table that declares the foreign key.
  ///   - destinationColumns: The columns that the foreign key refers to. Nil stands for the columns in the database
  ///     schema, or else for the primary key.
  public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil) {
    self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
  }
}

// MARK: - Inference

extension SQLJoinColumns {
  /// Creates a condition from the table that declares a foreign key to the table that the key refers to.
  ///
  /// - Parameters:
  ///   - origin: The table that declares the foreign key.
  ///   - destination: The table that the foreign key refers to.
  ///   - foreignKey: The columns, or nil to find them in the schema.
  ///   - originIsLeft: Whether the origin of the foreign key is the origin of the association.
  init(from origin: String, to destination: String, _ foreignKey: ForeignKey?, originIsLeft: Bool) {
    self.init(
      foreignKey: SQLJoinColumns.Key(
        originTable: origin, destinationTable: destination, originColumns: foreignKey?.originColumns,
        destinationColumns: foreignKey?.destinationColumns),
      originIsLeft: originIsLeft, lookUp: { db, foreignKey in try db.columnPairs(of: foreignKey) })
  }
}

extension Database {
  /// Returns the columns of a foreign key as the program described it, completed from the schema.
  fileprivate func columnPairs(of key: SQLJoinColumns.Key) throws -> SQLJoinColumns.Pairs {
    if let origin = key.originColumns, let destination = key.destinationColumns {
      precondition(
        origin.count == destination.count,
        "Number of columns don't match: the foreign key \(origin) refers to the columns \(destination)")
      return Array(zip(origin, destination)).map { (origin: $0, destination: $1) }
    }
    let declared = try existingTable(key.originTable).foreignKeys(self).filter { key.isDescription(of: $0) }
    if declared.count == 1 { return declared[0].mapping }
    if declared.count > 1 {
      throw DatabaseError(
        message: """
          Ambiguous foreign key from '\(key.originTable)' to '\(key.destinationTable)'. To fix this error, provide an \
          explicit `ForeignKey` in the association definition.
          """)
    }
    let destination = try existingTable(key.destinationTable)
    if let origin = key.originColumns, let primaryKey = try destination.primaryKey(self),
      primaryKey.columns.count == origin.count
    {
      return Array(zip(origin, primaryKey.columns)).map { (origin: $0, destination: $1) }
    }
    let hint = key.originColumns != nil && destination.kind == .view ? ", with both origin and destination columns" : ""
    throw DatabaseError(
      message: """
        Could not infer foreign key from '\(key.originTable)' to '\(key.destinationTable)'. To fix this error, provide \
        an explicit `ForeignKey` in the association definition\(hint).
        """)
  }
}

extension SQLJoinColumns.Key {
  /// Whether a foreign key of the schema leads to the destination, by the given columns.
  fileprivate func isDescription(of key: ForeignKeyInfo) -> Bool {
    func isSame(_ names: [String]?, _ others: [String]) -> Bool {
      names.map { Set($0.map(\.asciiLowercased)) == Set(others.map(\.asciiLowercased)) } ?? true
    }
    return key.destinationTable.asciiLowercased == destinationTable.asciiLowercased
      && isSame(originColumns, key.originColumns) && isSame(destinationColumns, key.destinationColumns)
  }
}
