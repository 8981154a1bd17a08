// How requests use associations. All methods end in `SQLRelation.join` or `SQLRelation.prefetch`.

extension JoinableRequest {
  /// Returns a request that fetches all rows of an association along with each row.
  ///
  /// One more query fetches the associated rows of all rows. The number of rows does not matter.
  ///
  /// ```swift
  /// struct AuthorInfo: Decodable, FetchableRecord {
  ///   var author: Author
  ///   var books: [Book]
  /// }
  ///
  /// // SELECT * FROM "author"
  /// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
  /// let infos = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter association: An association to any number of rows.
  /// - Returns: The derived request.
  public func including<A: AssociationToMany>(all association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.prefetch(association._path) }
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are fetched,
  /// too.
  ///
  /// ```swift
  /// struct BookInfo: Decodable, FetchableRecord {
  ///   var book: Book
  ///   var author: Author?
  /// }
  ///
  /// // SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
  /// let infos = try Book.including(optional: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter association: An association. Its key is the name of the scope of the associated row.
  /// - Returns: The derived request.
  public func including<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.join(association._path, .optional) }
  }

  /// Returns a request that fetches the associated row along with each row. Rows without associated row are left out.
  ///
  /// ```swift
  /// struct BookInfo: Decodable, FetchableRecord {
  ///   var book: Book
  ///   var author: Author
  /// }
  ///
  /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
  /// let infos = try Book.including(required: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter association: An association. Its key is the name of the scope of the associated row.
  /// - Returns: The derived request.
  public func including<A: Association>(required association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.join(association._path, .required) }
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are fetched,
  /// too.
  ///
  /// ```swift
  /// // SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
  /// // ORDER BY "author"."name"
  /// let request = Book.joining(optional: Book.author.order { $0.name })
  /// ```
  ///
  /// - Parameter association: An association.
  /// - Returns: The derived request.
  public func joining<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.join(association._path.withoutSelection, .optional) }
  }

  /// Returns a request that joins the associated table without fetching it. Rows without associated row are left out.
  ///
  /// ```swift
  /// // SELECT "book".* FROM "book" JOIN "author"
  /// // ON ("author"."id" = "book"."authorId") AND ("author"."countryCode" = 'FR')
  /// let request = Book.joining(required: Book.author.filter { $0.countryCode == "FR" })
  /// ```
  ///
  /// - Parameter association: An association.
  /// - Returns: The derived request.
  public func joining<A: Association>(required association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.join(association._path.withoutSelection, .required) }
  }
}

extension JoinableRequest where Self: SelectionRequest {
  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are
  /// fetched, too.
  ///
  /// ```swift
  /// // SELECT "book".*, "author"."name" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
  /// let request = Book.annotated(withOptional: Book.author.select { $0.name })
  /// ```
  ///
  /// - Parameter association: An association. Its selection is added to the selection of the request.
  /// - Returns: The derived request.
  public func annotated<A: Association>(withOptional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.annotate(with: association._path, .optional) }
  }

  /// Returns a request that fetches columns of the associated row beside its own. Rows without associated row are left
  /// out.
  ///
  /// ```swift
  /// // SELECT "book".*, "author"."name" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
  /// let request = Book.annotated(withRequired: Book.author.select { $0.name })
  /// ```
  ///
  /// - Parameter association: An association. Its selection is added to the selection of the request.
  /// - Returns: The derived request.
  public func annotated<A: Association>(withRequired association: A) -> Self where A.OriginRowDecoder == RowDecoder {
    changing { $0.annotate(with: association._path, .required) }
  }
}

extension SQLRelation {
  /// Joins the tables of an association, and adds its selection to the selection of the relation.
  fileprivate mutating func annotate(with path: _AssociationPath, _ kind: SQLRelationChild.Kind) {
    let alias = TableAliasBase(userName: nil)
    let associated = path.destination.relation
    var path = path.withoutSelection
    path.destination.relation.source = associated.source.aliased(alias)
    join(path, kind)
    selection.append { db, _ in try associated.resolvedSelection(db).map { $0.qualified(by: alias) } }
  }
}
