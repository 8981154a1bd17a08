import Testing
import Tidemark

/// Records that contain associated records.
@Suite struct AssociationDecodingTests {
  private struct AlbumInfo: Decodable, FetchableRecord, Equatable {
    var album: Album
    var studio: Studio
  }

  @Test func `a scope and the row itself are decoded`() throws {
    try inMusicStore { db in
      let infos = try Album.including(required: Album.studio).asRequest(of: AlbumInfo.self).fetchAll(db)
      #expect(infos.map(\.album.title) == ["Ash", "Birch", "Cedar"])
      #expect(infos.map(\.studio.name) == ["Attic", "Attic", "Barn"])
    }
  }

  @Test func `a missing scope is an error`() throws {
    try inMusicStore { db in
      let text = errorText { try Album.all().asRequest(of: AlbumInfo.self).fetchAll(db) }
      #expect(text.contains("No such key: album or studio"))
    }
  }

  @Test func `an optional record is nil when its scope is NULL or missing`() throws {
    struct Info: Decodable, FetchableRecord {
      var album: Album
      var studio: Studio?
    }
    try inMusicStore { db in
      let infos = try Album.including(optional: Album.studio).asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.studio?.name) == ["Attic", "Attic", "Barn", nil])
      #expect(try Album.all().asRequest(of: Info.self).fetchAll(db).allSatisfy { $0.studio == nil })
    }
  }

  @Test func `a record that is not optional needs a row`() throws {
    try inMusicStore { db in
      let text = errorText {
        try Album.including(optional: Album.studio).filter(key: 4).asRequest(of: AlbumInfo.self).fetchAll(db)
      }
      #expect(text.contains("NULL"))
      #expect(text.contains(#"column: "id""#) || text.contains(#"column: "name""#))
    }
  }

  @Test func `prefetched rows are decoded as arrays and sets`() throws {
    struct Info: Decodable, FetchableRecord {
      struct AlbumWithTracks: Decodable, Hashable {
        var album: Album
        var tracks: Set<Track>
      }
      var studio: Studio
      var albums: [AlbumWithTracks]
    }
    try inMusicStore { db in
      let request = Studio.including(all: Studio.albums.including(all: Album.tracks).order(Column("id")))
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map { $0.albums.map(\.album.title) } == [["Ash", "Birch"], ["Cedar"], []])
      #expect(infos[0].albums.map(\.tracks.count) == [2, 1])
    }
  }

  @Test func `an array of values has the first column of each row`() throws {
    struct Info: Decodable, FetchableRecord {
      var studio: Studio
      var titles: [String]
    }
    try inMusicStore { db in
      let albums = Studio.albums.select(Column("title")).order(Column("title")).forKey("titles")
      let infos = try Studio.including(all: albums).asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.titles) == [["Ash", "Birch"], ["Cedar"], []])
    }
  }

  @Test func `a missing array is an error unless it is optional`() throws {
    struct Info: Decodable, FetchableRecord {
      var studio: Studio
      var albums: [Album]
    }
    struct OptionalInfo: Decodable, FetchableRecord {
      var studio: Studio
      var albums: [Album]?
    }
    try inMusicStore { db throws in
      #expect(
        errorText { try Studio.all().asRequest(of: Info.self).fetchAll(db) }.contains("No such key: albums or studio"))
      #expect(try Studio.all().asRequest(of: OptionalInfo.self).fetchAll(db).allSatisfy { $0.albums == nil })
      #expect(
        try Studio.including(all: Studio.albums).asRequest(of: OptionalInfo.self).fetchAll(db).map(\.albums?.count)
          == [2, 1, 0])
    }
  }

  @Test func `scopes are found at any depth`() throws {
    struct Info: Decodable, FetchableRecord {
      var track: Track
      var album: Album
      var studio: Studio
      var city: City?
    }
    try inMusicStore { db in
      let request = Track.including(
        required: Track.album.including(required: Album.studio.including(optional: Studio.city)))
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.city?.name) == ["Oslo", "Oslo", "Oslo"])
    }
  }

  @Test func `aggregates are decoded beside a record`() throws {
    struct Info: Decodable, FetchableRecord {
      var album: Album
      var trackCount: Int
      var hasNoMemo: Bool
    }
    try inMusicStore { db in
      let request = Album.annotated(with: Album.tracks.count, Album.memos.isEmpty)
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.trackCount) == [2, 1, 0, 0])
      #expect(infos.map(\.hasNoMemo) == [false, true, true, true])
    }
  }

  @Test func `rows decode records from scopes and prefetched rows`() throws {
    struct Info: FetchableRecord {
      var album: Album
      var studio: Studio?
      var city: City?
      var tracks: [Track]
      var trackSet: Set<Track>

      init(row: Row) throws {
        album = try Album(row: row)
        studio = row["studio"]
        city = row["city"]
        tracks = row["tracks"]
        trackSet = row["tracks"]
      }
    }
    try inMusicStore { db in
      let request = Album.including(optional: Album.studio.including(optional: Studio.city))
        .including(all: Album.tracks)
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.studio?.name) == ["Attic", "Attic", "Barn", nil])
      #expect(infos.map(\.city?.name) == ["Oslo", "Oslo", nil, nil])
      #expect(infos.map(\.tracks.count) == [2, 1, 0, 0])
      #expect(infos.map(\.trackSet.count) == [2, 1, 0, 0])
    }
  }

  @Test func `missing scopes and prefetched rows are named in errors`() throws {
    try inMusicStore { db in
      let row = try #require(try Row.fetchOne(db, Album.including(optional: Album.studio).filter(key: 4)))
      #expect(
        errorText { try row.decode(Sleeve.self, forKey: "sleeve") }
          .hasPrefix(#"scope not found: "sleeve" - available scopes: ["studio"] - row: "#))
      #expect(
        errorText { try row.decode(Studio.self, forKey: "studio") }
          .hasPrefix(#"scope "studio" only contains null values - row: "#))
      #expect(
        errorText { try row.decode([Track].self, forKey: "tracks") }
          .hasPrefix(#"key for prefetched rows not found: "tracks" - row: "#))
    }
  }
}
