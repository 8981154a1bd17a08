// The record types that the examples in the documentation comments of Tidemark use. `CommentExampleTests` compiles the
// examples with this file.

import Foundation
import Tidemark

struct Player: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord {
  var id: Int64?
  var name = ""
  var score = 0
  var teamId: Int64?
  var creationDate: Date?

  init(id: Int64? = nil, name: String, score: Int = 0) {
    (self.id, self.name, self.score) = (id, name, score)
  }

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let score = Column("score")
    static let bonus = Column("bonus")
    static let info = JSONColumn("info")
    static let teamId = Column("teamId")
  }

  static let team = belongsTo(Team.self)
}

/// A player before its insertion: the table has more columns.
struct Newcomer: Encodable, PersistableRecord {
  static let databaseTableName = "player"

  typealias Columns = Player.Columns

  var name: String
}

struct PlayerDetails: Decodable, FetchableRecord, TableRecord {
  static let databaseTableName = "player"

  var name: String
}

struct Team: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
  var logo: Data

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
  }

  static let players = hasMany(Player.self)
}

struct Author: Codable, Identifiable, FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
  var countryCode: String

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let countryCode = Column("countryCode")
  }

  static let books = hasMany(Book.self)
  static let country = belongsTo(Country.self)
}

struct Book: Codable, Identifiable, FetchableRecord, PersistableRecord {
  var id: Int64
  var authorID: Int64
  var title: String

  enum Columns {
    static let id = Column("id")
    static let title = Column("title")
    static let price = Column("price")
    static let year = Column("year")
  }

  static let author = belongsTo(Author.self)
  static let bookGenres = hasMany(BookGenre.self)
  static let genres = hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)
  static let country = hasOne(Country.self, through: author, using: Author.country)
}

struct BookGenre: Codable, FetchableRecord, PersistableRecord {
  static let genre = belongsTo(Genre.self)
}

struct Genre: Codable, FetchableRecord, PersistableRecord {
  var name: String
}

struct Country: Codable, FetchableRecord, PersistableRecord {
  var code: String
  var name: String
}

struct Citizenship: Codable, FetchableRecord, PersistableRecord {
  var citizenId: Int64
  var countryCode: String
}

struct Game: Codable, FetchableRecord, PersistableRecord {
  var day: String
}

struct City: TableRecord {}
struct Cover: TableRecord {}
struct Flag: TableRecord {}

struct BookAndAuthor: Codable, FetchableRecord, TableRecord {
  var title: String
}

struct Revision: Encodable, PersistableRecord {
  init(of player: some TableRecord) {}
}

struct DeletedPlayer: Encodable, PersistableRecord {
  init(_ player: some TableRecord) {}
}
