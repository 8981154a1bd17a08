// The six kinds of associations. They differ in how they are created, and in the number of associated rows.

/// An association from the table that declares a foreign key to the table that the key refers to.
///
/// ```swift
/// struct Book: TableRecord {
///   static let author = belongsTo(Author.self)
/// }
///
/// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
/// let request = Book.including(required: Book.author)
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}

/// An association from a table to the one row that refers to it with a foreign key.
///
/// ```swift
/// struct Country: TableRecord {
///   static let flag = hasOne(Flag.self)
/// }
///
/// // SELECT "country".*, "flag".* FROM "country" LEFT JOIN "flag" ON "flag"."countryId" = "country"."id"
/// let request = Country.including(optional: Country.flag)
/// ```
///
/// The column of the foreign key should have a unique index.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}

/// An association from a table to the rows that refer to it with a foreign key.
///
/// ```swift
/// struct Author: TableRecord {
///   static let books = hasMany(Book.self)
/// }
///
/// // SELECT * FROM "author"
/// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
/// let request = Author.including(all: Author.books)
/// ```
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}

/// An association to one row, through the association of another table.
///
/// ```swift
/// struct Book: TableRecord {
///   static let author = belongsTo(Author.self)
///   static let country = hasOne(Country.self, through: author, using: Author.country)
/// }
///
/// let request = Book.including(optional: Book.country)
/// ```
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}

/// An association to any number of rows, through the association of another table.
///
/// ```swift
/// struct Book: TableRecord {
///   static let bookGenres = hasMany(BookGenre.self)
///   static let genres = hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)
/// }
///
/// let request = Book.including(all: Book.genres)
/// ```
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}

/// An association with a common table expression, by a condition of the program.
///
/// ```swift
/// let best = CommonTableExpression(
///   named: "best", sql: "SELECT teamId, MAX(score) AS score FROM player GROUP BY teamId")
/// let bestScore = Team.association(to: best) { team, best in best["teamId"] == team["id"] }
/// let request = Team.with(best).including(optional: bestScore)
/// ```
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows from which the association starts.
  public typealias OriginRowDecoder = Origin

  /// The type of the associated rows.
  public typealias RowDecoder = Destination

  /// Do not use this property: it is an implementation detail of associations.
  public var _path: _AssociationPath
}
