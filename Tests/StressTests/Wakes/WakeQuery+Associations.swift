import StressSupport

import Tidemark

// Random requests with associations.

extension WakeQuery {
  /// Creates a query of a request. Rows are compared without their order, unless the request defines it.
  init<T>(_ request: QueryInterfaceRequest<T>, _ name: String, isOrdered: Bool = false) {
    let rows = request.asRequest(of: Row.self)
    self.init(name: name) { db in
      let words = try rows.fetchAll(db).map(\.tree)
      return (isOrdered ? words : words.sorted()).joined(separator: "\n")
    }
  }

  static func association(_ random: inout RandomNumbers) -> WakeQuery {
    switch random.below(12) {
    case 0: joined(&random)
    case 1, 2: prefetched(&random)
    case 3: compositePrefetched(&random)
    case 4: aggregated(&random)
    case 5: special(&random)
    default: composed(&random)
    }
  }

  /// Creates a query of a request that is composed at random.
  private static func composed(_ random: inout RandomNumbers) -> WakeQuery {
    var composer = RequestComposer(random: random)
    defer { random = composer.random }
    return composer.query()
  }

  private static func joined(_ random: inout RandomNumbers) -> WakeQuery {
    let (books, author) = (Author.books.narrowed(&random), Book.author.narrowed(&random))
    let base = Book.all().narrowed(&random)
    switch random.below(10) {
    case 0: return WakeQuery(base.including(required: author), "book including required author")
    case 1: return WakeQuery(base.including(optional: author.including(optional: Author.mentor)), "… optional mentor")
    case 2: return WakeQuery(base.joining(optional: author), "book joining optional author")
    case 3: return WakeQuery(base.joining(required: author).select(Column("n")), "n of book joining author")
    case 4: return WakeQuery(base.annotated(withOptional: author.select(Column("n").forKey("an"))), "annotated book")
    case 5: return WakeQuery(Author.all().narrowed(&random).including(required: books), "author including books")
    case 6: return WakeQuery(base.including(optional: Book.profile.narrowed(&random)), "book including profile")
    case 7: return WakeQuery(Visit.including(optional: Visit.place.narrowed(&random)), "visit including place")
    case 8: return WakeQuery(Author.including(optional: Author.pupils.narrowed(&random)), "author including pupils")
    default:
      let request = base.including(required: author.order(Column("name"))).withStableOrder().limit(3)
      return WakeQuery(request, "3 books with author, ordered", isOrdered: true)
    }
  }

  private static func prefetched(_ random: inout RandomNumbers) -> WakeQuery {
    let books = Author.books.narrowed(&random)
    let authors = Author.all().narrowed(&random)
    switch random.below(14) {
    case 0, 1: return WakeQuery(authors.including(all: books), "author including all books")
    case 2: return WakeQuery(authors.including(all: Author.tags.narrowed(&random)), "author including all tags")
    case 3: return WakeQuery(authors.including(all: Author.notes.narrowed(&random)), "author including all notes")
    case 4:
      return WakeQuery(
        authors.including(all: books.including(all: Book.notes)), "author including all books with notes")
    case 5:
      return WakeQuery(
        authors.including(all: books.including(all: Book.tags.narrowed(&random)).including(all: Book.notes)),
        "author including all books with tags and notes")
    case 6:
      return WakeQuery(authors.including(all: books.including(optional: Book.profile)), "… books with profile")
    case 7:
      let author = Book.author.narrowed(&random).including(all: Author.shops)
      return WakeQuery(Book.including(optional: author), "book including author including all shops")
    case 8:
      return WakeQuery(
        Tag.all().narrowed(&random).including(all: Tag.books.narrowed(&random)), "tag including all books")
    case 9: return WakeQuery(authors.including(all: Author.pupils.including(all: Author.pupils)), "pupils of pupils")
    case 10: return WakeQuery(Profile.including(all: Profile.books.narrowed(&random)), "profile including all books")
    case 11:
      let count = Book.notes.count
      return WakeQuery(authors.including(all: books.annotated(with: count)), "author including all counted books")
    case 12:
      let request = authors.withStableOrder().limit(2).including(all: Author.books).including(all: Author.ownShops)
      return WakeQuery(request, "2 authors including all books and shops", isOrdered: true)
    default:
      let request = authors.withStableOrder().including(all: books).asRequest(of: Row.self)
      return WakeQuery(name: "first author including all books") { try request.fetchOne($0)?.tree ?? "none" }
    }
  }

  private static func compositePrefetched(_ random: inout RandomNumbers) -> WakeQuery {
    let shops = Place.shops.narrowed(&random)
    let places = Place.all().narrowed(&random)
    switch random.below(8) {
    case 0, 1: return WakeQuery(places.including(all: shops), "place including all shops")
    case 2: return WakeQuery(places.including(all: Place.visits.narrowed(&random)), "place including all visits")
    case 3: return WakeQuery(places.including(all: Place.owners.narrowed(&random)), "place including all owners")
    case 4: return WakeQuery(places.including(all: shops.including(all: Shop.visits)), "place … shops … visits")
    case 5:
      return WakeQuery(
        Shop.all().narrowed(&random).including(all: Shop.neighbors.narrowed(&random)), "shop … neighbors")
    case 6:
      let author = Author.all().narrowed(&random).including(all: Author.ownShops.including(optional: Shop.place))
      return WakeQuery(author.including(all: Author.places), "author … shops with place … places")
    default:
      let place = Shop.place.including(all: Place.visits)
      return WakeQuery(Shop.all().narrowed(&random).including(optional: place), "shop … place … all visits")
    }
  }

  private static func aggregated(_ random: inout RandomNumbers) -> WakeQuery {
    let books = Author.books.narrowed(&random)
    let authors = Author.all().narrowed(&random)
    let number = random.below(5)
    switch random.below(10) {
    case 0, 1: return WakeQuery(authors.annotated(with: books.count), "author with book count")
    case 2: return WakeQuery(authors.having(books.isEmpty), "author without books")
    case 3: return WakeQuery(authors.having(books.count > number), "author with more than \(number) books")
    case 4: return WakeQuery(authors.annotated(with: books.max(Column("n"))), "author with max n")
    case 5: return WakeQuery(authors.annotated(with: Author.notes.count), "author with note count")
    case 6: return WakeQuery(Place.annotated(with: Place.shops.count, Place.shops.sum(Column("n"))), "place with sums")
    case 7: return WakeQuery(authors.having(books.max(Column("n")) == nil || books.count == 1), "author having n")
    case 8: return WakeQuery(authors.annotated(with: Author.pupils.count).including(all: books), "… pupil count")
    default:
      let request = authors.annotated(with: books.count, Author.shops.total(Column("n")))
      return WakeQuery(request.including(optional: Author.profile), "author with count, total and profile")
    }
  }

  private static func special(_ random: inout RandomNumbers) -> WakeQuery {
    let number = random.below(8)
    let authors = Author.all().narrowed(&random)
    let books = Author.books.narrowed(&random)
    let best = CommonTableExpression(
      named: "best",
      request: Book.all().narrowed(&random).select(Column("authorId"), max(Column("n")).forKey("top"))
        .group(Column("authorId")))
    let toBest = Author.association(to: best, on: { $0["id"] == $1["authorId"] })
    let alias = TableAlias<Author>()
    switch random.below(10) {
    case 0: return WakeQuery(authors.with(best).including(optional: toBest), "author including cte")
    case 1: return WakeQuery(authors.with(best).joining(required: toBest), "author joining cte")
    case 2:
      return WakeQuery(authors.with(best).including(required: toBest).including(all: books), "… cte … all books")
    case 3:
      let tree = CommonTableExpression(
        recursive: true, named: "tree", columns: ["id"],
        literal:
          "SELECT id FROM author WHERE id = \(number) UNION SELECT author.id FROM author JOIN tree ON mentorId = tree.id"
      )
      return WakeQuery(Author.with(tree).filter(tree.contains(Column("id"))).including(all: Author.books), "tree")
    case 4:
      let request = Book.joining(optional: Book.author.aliased(alias)).filter(alias["n"] == number || !alias.exists)
      return WakeQuery(request, "book where n of author = \(number) or no author")
    case 5:
      let shops = Shop.filter(Column("authorId") == alias["id"]).exists()
      return WakeQuery(Author.aliased(alias).filter(shops).including(all: books), "author with a shop … all books")
    case 6:
      let request = authors.joining(required: books).distinct()
      return WakeQuery(name: "count of distinct authors with books") { "\(try request.fetchCount($0))" }
    case 7:
      let request = authors.joining(required: books)
      return WakeQuery(name: "no author with books") { "\(try request.isEmpty($0))" }
    case 8:
      return WakeQuery(Place.filter(Column("n") > number).limit(2).including(all: Place.shops), "2 places … shops")
    default:
      let request = authors.including(all: Author.places.narrowed(&random).including(all: Place.shops))
      return WakeQuery(request, "author … all places … all shops")
    }
  }
}

extension Author {
  fileprivate static let ownShops = shops.forKey("ownShops")
}

extension DerivableRequest {
  /// Returns the request with a random filter on the column `n`, which all tables have; or the request itself.
  fileprivate func narrowed(_ random: inout RandomNumbers) -> Self {
    let number = random.below(10)
    return switch random.below(10) {
    case 0: filter(Column("n") == number)
    case 1: filter(Column("n") > number)
    case 2: filter(Column("n") == nil)
    case 3: filter([number, 3].contains(Column("n")))
    case 4: filter(Column("n") == number || Column("n") == 2)
    case 5: orderByPrimaryKey()
    default: self
    }
  }
}

extension Row {
  /// All values of the row, of its scopes, and of its prefetched rows, which are sorted.
  var tree: String {
    var words = [description]
    for name in scopes.names.sorted() { words.append("\(name): {\(scopes[name]?.tree ?? "")}") }
    for key in prefetchedRows.keys.sorted() {
      let rows = prefetchedRows[key]?.map(\.tree).sorted() ?? []
      words.append("\(key): \(rows)")
    }
    return words.joined(separator: " ")
  }
}
