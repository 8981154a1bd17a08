import Tidemark

// The record types of the random schema of associated tables.

/// A record type whose requests get random associations. All tables have a column `n`.
protocol WakeRecord: TableRecord {
  /// Columns that lead to other tables, or to which other tables lead.
  static var links: [String] { get }

  /// Returns a request that uses one more association.
  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Self
}

enum Author: WakeRecord {
  static let mentor = belongsTo(Author.self, key: "mentor", using: ForeignKey(["mentorId"]))
  static let pupils = hasMany(Author.self, key: "pupils", using: ForeignKey(["mentorId"]))
  static let books = hasMany(Book.self)
  static let bigBooks = hasMany(BigBook.self, using: ForeignKey(["authorId"], to: ["id"]))
  static let profile = hasOne(Profile.self)
  static let shops = hasMany(Shop.self, using: ForeignKey(["authorId"]))
  static let tags = hasMany(Tag.self, through: books, using: Book.tags)
  static let places = hasMany(Place.self, through: shops, using: Shop.place)
  static let notes = hasMany(Note.self, through: books, using: Book.notes)

  static let links = ["id", "mentorId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Author {
    switch composer.random.below(11) {
    case 0: composer.add("mentor", mentor, to: request)
    case 1: composer.add("pupils", pupils, to: request)
    case 2: composer.add("bigBooks", bigBooks, hasKey: false, to: request)
    case 3: composer.add("profile", profile, isUnique: false, to: request)
    case 4: composer.add("shops", shops, to: request)
    case 5: composer.add("tags", tags, to: request)
    case 6: composer.add("places", places, to: request)
    case 7: composer.add("notes", notes, to: request)
    default: composer.add("books", books, to: request)
    }
  }
}

enum Book: WakeRecord {
  static let author = belongsTo(Author.self)
  static let bookTags = hasMany(BookTag.self)
  static let tags = hasMany(Tag.self, through: bookTags, using: BookTag.tag)
  static let notes = hasMany(Note.self)
  static let profile = hasOne(Profile.self, through: author, using: Author.profile)
  static let mentor = hasOne(Author.self, through: author, using: Author.mentor)
  static let shops = hasMany(Shop.self, through: author, using: Author.shops)

  static let links = ["id", "authorId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Book {
    switch composer.random.below(8) {
    case 0: composer.add("bookTags", bookTags, hasKey: false, to: request)
    case 1: composer.add("tags", tags, to: request)
    case 2: composer.add("notes", notes, to: request)
    case 3: composer.add("profile", profile, isUnique: false, to: request)
    case 4: composer.add("mentor", mentor, to: request)
    case 5: composer.add("shops", shops, to: request)
    default: composer.add("author", author, to: request)
    }
  }
}

/// A view.
enum BigBook: WakeRecord {
  static let author = belongsTo(Author.self, using: ForeignKey(["authorId"], to: ["id"]))
  static let notes = hasMany(Note.self, using: ForeignKey(["bookId"], to: ["id"]))

  static let links = ["id", "authorId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == BigBook {
    switch composer.random.below(2) {
    case 0: composer.add("notes", notes, to: request)
    default: composer.add("author", author, to: request)
    }
  }
}

enum Profile: WakeRecord {
  static let author = belongsTo(Author.self)
  static let books = hasMany(Book.self, through: author, using: Author.books)

  static let links = ["id", "authorId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Profile {
    switch composer.random.below(2) {
    case 0: composer.add("author", author, to: request)
    default: composer.add("books", books, to: request)
    }
  }
}

enum Tag: WakeRecord {
  static let bookTags = hasMany(BookTag.self)
  static let books = hasMany(Book.self, through: bookTags, using: BookTag.book)

  static let links = ["name"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Tag {
    switch composer.random.below(2) {
    case 0: composer.add("bookTags", bookTags, hasKey: false, to: request)
    default: composer.add("books", books, to: request)
    }
  }
}

enum BookTag: WakeRecord {
  static let book = belongsTo(Book.self)
  static let tag = belongsTo(Tag.self)

  static let links = ["bookId", "tagName"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == BookTag {
    switch composer.random.below(2) {
    case 0: composer.add("book", book, to: request)
    default: composer.add("tag", tag, to: request)
    }
  }
}

enum Place: WakeRecord {
  static let shops = hasMany(Shop.self)
  static let visits = hasMany(Visit.self, through: shops, using: Shop.visits)
  static let owners = hasMany(Author.self, through: shops, using: Shop.author)

  static let links = ["country", "city"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Place {
    switch composer.random.below(3) {
    case 0: composer.add("shops", shops, to: request)
    case 1: composer.add("visits", visits, to: request)
    default: composer.add("owners", owners, to: request)
    }
  }
}

enum Shop: WakeRecord {
  static let place = belongsTo(Place.self)
  static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
  static let visits = hasMany(Visit.self)
  static let neighbors = hasMany(Shop.self, through: place, using: Place.shops, key: "neighbors")

  static let links = ["id", "country", "city", "authorId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Shop {
    switch composer.random.below(4) {
    case 0: composer.add("place", place, to: request)
    case 1: composer.add("author", author, to: request)
    case 2: composer.add("visits", visits, to: request)
    default: composer.add("neighbors", neighbors, to: request)
    }
  }
}

enum Visit: WakeRecord {
  static let shop = belongsTo(Shop.self)
  static let place = hasOne(Place.self, through: shop, using: Shop.place)

  static let links = ["id", "shopId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Visit {
    switch composer.random.below(2) {
    case 0: composer.add("shop", shop, to: request)
    default: composer.add("place", place, to: request)
    }
  }
}

enum Note: WakeRecord {
  static let book = belongsTo(Book.self)

  static let links = ["bookId"]

  static func associating<Request: DerivableRequest>(
    _ request: Request, _ composer: inout RequestComposer
  ) -> Request where Request.RowDecoder == Note { composer.add("book", book, to: request) }
}
