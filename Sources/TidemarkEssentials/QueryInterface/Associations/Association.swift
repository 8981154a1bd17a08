/// A connection between two tables, which requests can join and fetch.
///
/// Define associations as static properties of record types. The columns of an association come from
/// the foreign keys of the database schema:
///
/// ```swift
/// struct Author: Codable, FetchableRecord, PersistableRecord {
///   var id: Int64
///   var name: String
///
///   static let books = hasMany(Book.self)
/// }
///
/// struct Book: Codable, FetchableRecord, PersistableRecord {
///   var id: Int64
///   var authorId: Int64
///   var title: String
///
///   static let author = belongsTo(Author.self)
/// }
/// ```
///
/// Requests use them by one of these methods:
///
/// | Method | Fetched |
/// | --- | --- |
/// | `including(required:)`, `including(optional:)` | the associated row, in the same query |
/// | `including(all:)` | all associated rows, in a second query |
/// | `joining(required:)`, `joining(optional:)` | nothing: the associated table is available to filters and orders |
/// | `annotated(withRequired:)`, `annotated(withOptional:)` | columns of the associated row, in the row itself |
/// | `annotated(with:)`, `having(_:)` | a count, a sum, and so on, of the associated rows |
///
/// An association is a derivable request: it can be filtered, ordered, and combined with other associations. It has no
/// limit, and is not fetched by itself.
///
/// Do not adopt this protocol. See <doc:Associations> for a guide.
public protocol Association: DerivableRequest, Sendable {
  /// The type of the rows from which the association starts.
  associatedtype OriginRowDecoder

  /// Do not use this property: it is an implementation detail of associations.
  var _path: _AssociationPath { get set }

  /// Returns an association with another key.
  ///
  /// - Parameter key: The name of the scope of the associated row, or of the array of associated rows.
  /// - Returns: The association with that key.
  func forKey(_ key: String) -> Self
}

extension Association {
  /// Returns an association with another key.
  ///
  /// ```swift
  /// struct BookInfo: Decodable, FetchableRecord {
  ///   enum CodingKeys: CodingKey { case book, writer }
  ///   var book: Book
  ///   var writer: Author
  /// }
  ///
  /// let association = Book.author.forKey(BookInfo.CodingKeys.writer)
  /// let infos = try Book.including(required: association).asRequest(of: BookInfo.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter codingKey: A coding key, whose string value is the key.
  /// - Returns: The association with that key.
  public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }

  /// The name of the associated table, without quotes.
  public var databaseTableName: String { _path.destination.relation.source.tableName }

  /// Do not call this method: it is an implementation detail of the methods that derive requests.
  public func _changing(_ change: _QueryChange) -> Self {
    var association = self
    change.apply(&association._path.destination.relation)
    return association
  }

  func keyed(_ key: AssociationKey) -> Self {
    var association = self
    association._path.destination.key = key
    return association
  }
}

/// An association to at most one row.
///
/// Do not adopt this protocol.
public protocol AssociationToOne: Association {}

extension AssociationToOne {
  /// Returns an association with another key.
  ///
  /// ```swift
  /// let request = Book.including(required: Book.author.forKey("writer"))
  /// ```
  ///
  /// - Parameter key: The name of the scope of the associated row.
  /// - Returns: The association with that key.
  public func forKey(_ key: String) -> Self { keyed(.singular(key)) }
}

/// An association to any number of rows.
///
/// Do not adopt this protocol.
public protocol AssociationToMany: Association {}

extension AssociationToMany {
  /// Returns an association with another key.
  ///
  /// ```swift
  /// let request = Author.including(all: Author.books.filter { $0.year > 2000 }.forKey("recentBooks"))
  /// ```
  ///
  /// - Parameter key: The name of the array of associated rows. It is used in the singular where the association is
  ///   joined.
  /// - Returns: The association with that key.
  public func forKey(_ key: String) -> Self { keyed(.plural(key)) }
}
