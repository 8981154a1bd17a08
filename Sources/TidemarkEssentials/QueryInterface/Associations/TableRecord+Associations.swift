// Associations of record types, and requests that use them.

extension TableRecord {
  /// Defines an association from this table, which declares a foreign key, to the table that the key refers to.
  ///
  /// ```swift
  /// static let author = belongsTo(Author.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(_path: .belongsTo(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association from this table, which declares a foreign key, to the table that the key refers to.
  ///
  /// ```swift
  /// static let author = belongsTo(Table("author"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(_path: .belongsTo(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the one row that refers to a row of this table with a foreign key.
  ///
  /// ```swift
  /// static let cover = hasOne(Cover.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(_path: .hasOne(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the one row that refers to a row of this table with a foreign key.
  ///
  /// ```swift
  /// static let cover = hasOne(Table("cover"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(_path: .hasOne(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the rows that refer to a row of this table with a foreign key.
  ///
  /// ```swift
  /// static let books = hasMany(Book.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the array of associated rows, or nil for the name of the table, in the plural.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(_path: .hasMany(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the rows that refer to a row of this table with a foreign key.
  ///
  /// ```swift
  /// static let books = hasMany(Table("book"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the array of associated rows, or nil for the name of the table, in the plural.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public static func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(_path: .hasMany(databaseTableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to any number of rows, through another table.
  ///
  /// ```swift
  /// static let bookGenres = hasMany(BookGenre.self)
  /// static let genres = hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated rows.
  ///   - pivot: An association from this table to the table in between.
  ///   - target: An association from the table in between to the destination.
  ///   - key: The name of the array of associated rows, or nil for the key of `target`.
  /// - Returns: An association.
  public static func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasManyThroughAssociation<Self, Target.RowDecoder>(
      _path: _AssociationPath(pivot._path, target._path))
    return key.map { association.forKey($0) } ?? association
  }

  /// Defines an association to one row, through another table.
  ///
  /// ```swift
  /// static let author = belongsTo(Author.self)
  /// static let country = hasOne(Country.self, through: author, using: Author.country)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated rows.
  ///   - pivot: An association from this table to the table in between.
  ///   - target: An association from the table in between to the destination.
  ///   - key: The name of the scope of the associated row, or nil for the key of `target`.
  /// - Returns: An association.
  public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasOneThroughAssociation<Self, Target.RowDecoder>(
      _path: _AssociationPath(pivot._path, target._path))
    return key.map { association.forKey($0) } ?? association
  }
}

// MARK: - Requests

extension TableRecord {
  /// Returns a request that fetches all rows of an association along with each row.
  ///
  /// One more query fetches the associated rows of all rows. The number of rows does not matter.
  ///
  /// ```swift
  /// let request = Author.including(all: Author.books)
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().including(all: association)
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are fetched,
  /// too.
  ///
  /// ```swift
  /// let request = Book.including(optional: Book.author)
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().including(optional: association)
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are left out.
  ///
  /// ```swift
  /// let request = Book.including(required: Book.author)
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().including(required: association)
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are fetched,
  /// too.
  ///
  /// ```swift
  /// let request = Book.joining(optional: Book.author)
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().joining(optional: association)
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are left out.
  ///
  /// ```swift
  /// let request = Book.joining(required: Book.author)
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().joining(required: association)
  }

  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are
  /// fetched, too.
  ///
  /// ```swift
  /// let request = Book.annotated(withOptional: Book.author.select { $0.name })
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().annotated(withOptional: association)
  }

  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are left
  /// out.
  ///
  /// ```swift
  /// let request = Book.annotated(withRequired: Book.author.select { $0.name })
  /// ```
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request of all records, with the association.
  public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self {
    all().annotated(withRequired: association)
  }

  /// Returns a request with additional columns, which are computed from associated rows.
  ///
  /// ```swift
  /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author"
  /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
  /// let request = Author.annotated(with: Author.books.count)
  /// ```
  ///
  /// - Parameter aggregates: Counts, sums, and so on, of associated rows.
  /// - Returns: The annotated request.
  public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// Returns a request with additional columns, which are computed from associated rows.
  ///
  /// - Parameter aggregates: Counts, sums, and so on, of associated rows.
  /// - Returns: The annotated request.
  public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// Returns a request of the rows whose associated rows satisfy a condition.
  ///
  /// ```swift
  /// let request = Author.having(Author.books.count > 10)
  /// ```
  ///
  /// - Parameter predicate: A condition on counts, sums, and so on, of associated rows.
  /// - Returns: The filtered request.
  public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
    all().having(predicate)
  }
}
