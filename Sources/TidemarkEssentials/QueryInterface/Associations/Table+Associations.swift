// Associations of tables, and requests that use them.

extension Table {
  /// Defines an association from this table, which declares a foreign key, to the table that the key refers to.
  ///
  /// ```swift
  /// let author = Table("book").belongsTo(Author.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(_path: .belongsTo(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association from this table, which declares a foreign key, to the table that the key refers to.
  ///
  /// ```swift
  /// let author = Table("book").belongsTo(Table("author"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(_path: .belongsTo(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the one row that refers to a row of this table with a foreign key.
  ///
  /// ```swift
  /// let cover = Table("book").hasOne(Cover.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(_path: .hasOne(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the one row that refers to a row of this table with a foreign key.
  ///
  /// ```swift
  /// let cover = Table("book").hasOne(Table("cover"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the scope of the associated row, or nil for the name of the table, in the singular.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(_path: .hasOne(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the rows that refer to a row of this table with a foreign key.
  ///
  /// ```swift
  /// let books = Table("author").hasMany(Book.self)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - key: The name of the array of associated rows, or nil for the name of the table, in the plural.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(_path: .hasMany(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to the rows that refer to a row of this table with a foreign key.
  ///
  /// ```swift
  /// let books = Table("author").hasMany(Table("book"))
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The associated table.
  ///   - key: The name of the array of associated rows, or nil for the name of the table, in the plural.
  ///   - foreignKey: The columns of the foreign key, or nil to find them in the database schema.
  /// - Returns: An association. The schema is read when a request that uses it is prepared.
  public func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(_path: .hasMany(tableName, destination.all().relation, key, foreignKey))
  }

  /// Defines an association to any number of rows, through another table.
  ///
  /// ```swift
  /// let bookGenres = Table<Book>("book").hasMany(BookGenre.self)
  /// let genres = Table<Book>("book").hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated rows.
  ///   - pivot: An association from this table to the table in between.
  ///   - target: An association from the table in between to the destination.
  ///   - key: The name of the array of associated rows, or nil for the key of `target`.
  /// - Returns: An association.
  public func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasManyThroughAssociation<RowDecoder, Target.RowDecoder>(
      _path: _AssociationPath(pivot._path, target._path))
    return key.map { association.forKey($0) } ?? association
  }

  /// Defines an association to one row, through another table.
  ///
  /// ```swift
  /// let author = Table<Book>("book").belongsTo(Author.self)
  /// let country = Table<Book>("book").hasOne(Country.self, through: author, using: Author.country)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The type of the associated rows.
  ///   - pivot: An association from this table to the table in between.
  ///   - target: An association from the table in between to the destination.
  ///   - key: The name of the scope of the associated row, or nil for the key of `target`.
  /// - Returns: An association.
  public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasOneThroughAssociation<RowDecoder, Target.RowDecoder>(
      _path: _AssociationPath(pivot._path, target._path))
    return key.map { association.forKey($0) } ?? association
  }
}

// MARK: - Requests

extension Table {
  /// Returns a request that fetches all rows of an association along with each row.
  ///
  /// One more query fetches the associated rows of all rows. The number of rows does not matter.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().including(all: association)
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are fetched,
  /// too.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().including(optional: association)
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are left out.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().including(required: association)
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are fetched,
  /// too.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().joining(optional: association)
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are left out.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().joining(required: association)
  }

  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are
  /// fetched, too.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
    all().annotated(withOptional: association)
  }

  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are left
  /// out.
  ///
  /// - Parameter association: An association from this table.
  /// - Returns: A request of all rows of the table, with the association.
  public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder {
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
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: aggregates)
  }

  /// Returns a request with additional columns, which are computed from associated rows.
  ///
  /// - Parameter aggregates: Counts, sums, and so on, of associated rows.
  /// - Returns: The annotated request.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<RowDecoder> {
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
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().having(predicate)
  }
}
