import Testing
import Tidemark

/// The tables of the examples of associations, and their record types.
enum MusicStore {
  static let sql = """
    CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, region TEXT);
    CREATE TABLE studio (id INTEGER PRIMARY KEY, name TEXT, cityId INTEGER REFERENCES city);
    CREATE TABLE album (
      id INTEGER PRIMARY KEY, title TEXT, studioId INTEGER REFERENCES studio, year INTEGER,
      sequelId INTEGER REFERENCES album);
    CREATE TABLE sleeve (id INTEGER PRIMARY KEY, albumId INTEGER UNIQUE REFERENCES album, tint TEXT);
    CREATE TABLE track (id INTEGER PRIMARY KEY, albumId INTEGER REFERENCES album, name TEXT, secs INTEGER);
    CREATE TABLE musician (id INTEGER PRIMARY KEY, name TEXT, mentorId INTEGER REFERENCES musician);
    CREATE TABLE credit (
      trackId INTEGER REFERENCES track, musicianId INTEGER REFERENCES musician, role TEXT,
      PRIMARY KEY (trackId, musicianId));
    CREATE TABLE pressing (
      country TEXT, catno TEXT, albumId INTEGER REFERENCES album, PRIMARY KEY (country, catno));
    CREATE TABLE shipment (
      id INTEGER PRIMARY KEY, country TEXT, catno TEXT, qty INTEGER,
      FOREIGN KEY (country, catno) REFERENCES pressing);
    CREATE TABLE stop (id INTEGER PRIMARY KEY, shipmentId INTEGER REFERENCES shipment, place TEXT);
    CREATE TABLE tag (name TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE albumTag (
      albumId INTEGER REFERENCES album, tagName TEXT REFERENCES tag, PRIMARY KEY (albumId, tagName)) WITHOUT ROWID;
    CREATE TABLE memo (albumId INTEGER REFERENCES album, body TEXT);
    CREATE TABLE transfer (
      id INTEGER PRIMARY KEY, fromCityId INTEGER REFERENCES city, toCityId INTEGER REFERENCES city);
    CREATE VIEW longTrack AS SELECT * FROM track WHERE secs > 100;
    INSERT INTO city VALUES (1, 'Oslo', 'N'), (2, 'Lyon', 'S');
    INSERT INTO studio VALUES (1, 'Attic', 1), (2, 'Barn', NULL), (3, 'Cave', 1);
    INSERT INTO album VALUES
      (1, 'Ash', 1, 1990, 2), (2, 'Birch', 1, 1991, NULL), (3, 'Cedar', 2, 1992, NULL), (4, 'Drift', NULL, 1993, NULL);
    INSERT INTO sleeve VALUES (1, 1, 'red');
    INSERT INTO track VALUES (1, 1, 'One', 60), (2, 1, 'Two', 120), (3, 2, 'Three', 180), (4, NULL, 'Four', 240);
    INSERT INTO musician VALUES (1, 'Ada', NULL), (2, 'Bob', 1), (3, 'Cyd', 1);
    INSERT INTO credit VALUES (1, 1, 'voice'), (2, 1, 'voice'), (2, 2, 'drums'), (3, 3, 'bass');
    INSERT INTO pressing VALUES ('NO', 'x1', 1), ('NO', 'x2', 2), ('FR', 'x1', 1);
    INSERT INTO shipment VALUES (1, 'NO', 'x1', 5), (2, 'NO', 'x1', 2), (3, 'FR', 'x1', 9), (4, NULL, 'x1', 1);
    INSERT INTO stop VALUES (1, 1, 'A'), (2, 1, 'B'), (3, 3, 'C');
    INSERT INTO tag VALUES ('folk'), ('jazz');
    INSERT INTO albumTag VALUES (1, 'folk'), (2, 'folk'), (2, 'jazz');
    INSERT INTO memo VALUES (1, 'good'), (1, 'loud');
    INSERT INTO transfer VALUES (1, 1, 2);
    """
}

/// Runs a closure on a new database in memory, with the tables of a music store.
@discardableResult
func inMusicStore<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: MusicStore.sql)
    return try body(db)
  }
}

extension Database {
  /// The SQL that fetching all rows of a request executes, with its values.
  func expectFetch(
    _ request: some FetchRequest, _ sql: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let executed = try TidemarkTests.trace(self) { _ = try Row.fetchAll(self, request) }
    #expect(executed == sql, sourceLocation: sourceLocation)
  }

  /// The SQL that a closure executes, with its values.
  func expectTrace(
    _ sql: String..., sourceLocation: SourceLocation = #_sourceLocation, body: (Database) throws -> Void
  ) throws {
    let executed = try TidemarkTests.trace(self) { try body(self) }
    #expect(executed == sql, sourceLocation: sourceLocation)
  }
}

struct City: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var name: String
  var region: String?

  static let studios = hasMany(Studio.self)
  static let albums = hasMany(Album.self, through: studios, using: Studio.albums)
  static let tracks = hasMany(Track.self, through: albums, using: Album.tracks)
}

struct Studio: Codable, FetchableRecord, PersistableRecord, Hashable {
  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
  }
  var id: Int64
  var name: String
  var cityId: Int64?

  static let city = belongsTo(City.self)
  static let albums = hasMany(Album.self)
  static let tracks = hasMany(Track.self, through: albums, using: Album.tracks)
  static let siblings = hasMany(Studio.self, through: city, using: City.studios, key: "siblings")
}

struct Album: Codable, FetchableRecord, PersistableRecord, Hashable {
  enum Columns {
    static let id = Column("id")
    static let title = Column("title")
    static let year = Column("year")
    static let studioId = Column("studioId")
  }
  var id: Int64
  var title: String
  var studioId: Int64?
  var year: Int?
  var sequelId: Int64?

  static let studio = belongsTo(Studio.self)
  static let sequel = belongsTo(Album.self, key: "sequel")
  static let sleeve = hasOne(Sleeve.self)
  static let tracks = hasMany(Track.self)
  static let memos = hasMany(Memo.self)
  static let pressings = hasMany(Pressing.self)
  static let city = hasOne(City.self, through: studio, using: Studio.city)
  static let musicians = hasMany(Musician.self, through: tracks, using: Track.musicians)
  static let albumTags = hasMany(AlbumTag.self)
  static let tags = hasMany(Tag.self, through: albumTags, using: AlbumTag.tag)
}

struct Sleeve: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var albumId: Int64
  var tint: String?
}

struct Track: Codable, FetchableRecord, PersistableRecord, Hashable {
  enum Columns {
    static let id = Column("id")
    static let secs = Column("secs")
    static let name = Column("name")
  }
  var id: Int64
  var albumId: Int64?
  var name: String
  var secs: Int

  static let album = belongsTo(Album.self)
  static let studio = hasOne(Studio.self, through: album, using: Album.studio)
  static let credits = hasMany(Credit.self)
  static let musicians = hasMany(Musician.self, through: credits, using: Credit.musician)
}

struct Musician: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var name: String
  var mentorId: Int64?

  static let mentor = belongsTo(Musician.self, key: "mentor")
  static let pupils = hasMany(Musician.self, key: "pupils")
  static let credits = hasMany(Credit.self)
}

struct Credit: Codable, FetchableRecord, PersistableRecord, Equatable {
  var trackId: Int64
  var musicianId: Int64
  var role: String?

  static let musician = belongsTo(Musician.self)
  static let track = belongsTo(Track.self)
}

struct Pressing: Codable, FetchableRecord, PersistableRecord, Equatable {
  enum Columns {
    static let country = Column("country")
    static let catno = Column("catno")
  }
  var country: String
  var catno: String
  var albumId: Int64?

  static let album = belongsTo(Album.self)
  static let shipments = hasMany(Shipment.self)
  static let stops = hasMany(Stop.self, through: shipments, using: Shipment.stops)
}

struct Shipment: Codable, FetchableRecord, PersistableRecord, Equatable {
  enum Columns {
    static let qty = Column("qty")
  }
  var id: Int64
  var country: String?
  var catno: String?
  var qty: Int

  static let pressing = belongsTo(Pressing.self)
  static let stops = hasMany(Stop.self)
  static let siblings = hasMany(Shipment.self, through: pressing, using: Pressing.shipments, key: "siblings")
}

struct Stop: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var shipmentId: Int64
  var place: String
}

struct Tag: Codable, FetchableRecord, PersistableRecord, Equatable {
  var name: String

  static let albumTags = hasMany(AlbumTag.self)
  static let albums = hasMany(Album.self, through: albumTags, using: AlbumTag.album)
}

struct AlbumTag: Codable, FetchableRecord, PersistableRecord, Equatable {
  var albumId: Int64
  var tagName: String

  static let album = belongsTo(Album.self)
  static let tag = belongsTo(Tag.self)
}

struct Memo: Codable, FetchableRecord, PersistableRecord, Equatable {
  var albumId: Int64
  var body: String

  static let album = belongsTo(Album.self)
}

struct Transfer: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var fromCityId: Int64
  var toCityId: Int64

  static let from = belongsTo(City.self, key: "from", using: ForeignKey(["fromCityId"]))
  static let to = belongsTo(City.self, key: "to", using: ForeignKey(["toCityId"]))
}
