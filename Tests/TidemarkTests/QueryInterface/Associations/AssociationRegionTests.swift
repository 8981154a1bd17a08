import Testing

import Tidemark
@testable import TidemarkEssentials

private let id = Column("id")
private let title = Column("title")
private let year = Column("year")

/// The regions of requests with associations, and which changes observations of them report.
@Suite struct AssociationRegionTests {
  private func region(_ request: some FetchRequest) throws -> String {
    try inMusicStore { db in try request.databaseRegion(db).description }
  }

  @Test func `the region has the joined and the prefetched tables`() throws {
    #expect(
      try region(Album.including(required: Album.studio))
        == "album(id,sequelId,studioId,title,year),studio(cityId,id,name)")
    #expect(
      try region(Studio.including(all: Studio.albums))
        == "album(id,sequelId,studioId,title,year),studio(cityId,id,name)")
    #expect(
      try region(Studio.including(all: Studio.albums.select(title))) == "album(studioId,title),studio(cityId,id,name)")
    #expect(
      try region(Studio.including(all: Studio.tracks))
        == "album(id,studioId),studio(cityId,id,name),track(albumId,id,name,secs)")
    #expect(
      try region(Studio.including(all: Studio.albums.including(all: Album.tracks))).contains("track(albumId,"))
  }

  @Test func `a region names the rows of the request and the columns of aggregates`() throws {
    #expect(
      try region(Studio.filter(key: 1).including(all: Studio.albums))
        == "album(id,sequelId,studioId,title,year),studio(cityId,id,name)[1]")
    #expect(
      try region(Album.annotated(with: Album.tracks.count))
        == "album(id,sequelId,studioId,title,year),track(albumId,id)")
    #expect(
      try region(Album.joining(optional: Album.studio.filter(Column("name") == "Attic")))
        == "album(id,sequelId,studioId,title,year),studio(id,name)")
  }

  @Test func `a request without rows reads nothing`() throws {
    #expect(try region(Studio.none().including(all: Studio.albums)) == "empty")
  }

  @Test func `a fetch that can return no row records no associated table`() throws {
    let region = try inMusicStore { db in
      try db.recordingReads { _ = try Row.fetchAll(db, Studio.none().including(all: Studio.albums)) }.readSet.region
    }
    #expect(region.isEmpty)
  }

  /// The region that an observation of a request would record, with its conditions on rows.
  private func recorded(_ request: some FetchRequest) throws -> String {
    try inMusicStore { db in
      try db.recordingReads(usesBounds: true) { _ = try Row.fetchAll(db, request) }.readSet.region.debugDescription
    }
  }

  @Test func `associated rows of other rows do not matter`() throws {
    let studio = "studio(cityId,id,name) where id = 1"
    #expect(
      try recorded(Studio.filter(key: 1).including(all: Studio.albums))
        == "album(id,sequelId,studioId,title,year) where studioid = 1," + studio)
    #expect(
      try recorded(Studio.filter(key: 1).including(all: Studio.tracks))
        == "album(id,studioId) where studioid = 1,\(studio),track(albumId,id,name,secs)")
    #expect(
      try recorded(Studio.filter(key: 1).annotated(with: Studio.albums.count))
        == "album(id,studioId) where studioid = 1," + studio)
    #expect(
      try recorded(Album.filter(key: 1).including(required: Album.studio))
        == "album(id,sequelId,studioId,title,year) where id = 1," + studio)
  }

  @Test func `associated rows with other composite keys do not matter`() throws {
    let pressing = #"pressing(albumId,catno,country) where catno = "x1" and country = "FR""#
    let one = try recorded(
      Pressing.filter { $0.country == "FR" && $0.catno == "x1" }.including(all: Pressing.shipments))
    #expect(one == pressing + #",shipment(catno,country,id,qty) where catno = "x1" and country = "FR""#)
    let all = try recorded(Pressing.including(all: Pressing.shipments.filter { $0.qty > 3 }))
    #expect(
      all == """
        pressing(albumId,catno,country),shipment(catno,country,id,qty) \
        where catno in ("x1", "x2") and country in ("FR", "NO") and qty > 3
        """)
    let none = try recorded(Pressing.filter { $0.country == "SE" }.including(all: Pressing.shipments))
    #expect(none == #"pressing(albumId,catno,country) where country = "SE""#)
    let withoutKey = try recorded(Shipment.filter(key: 4).including(all: Shipment.siblings))
    #expect(withoutKey == "shipment(catno,country,id,qty) where id = 4")
  }

  @Test func `rows behind an indexed table in between do not matter`() throws {
    try inMusicStore { db in
      try db.execute(sql: "CREATE INDEX albumByStudio ON album (studioId)")
      let request = Studio.filter(key: 1).including(all: Studio.tracks)
      let region = try db.recordingReads(usesBounds: true) { _ = try Row.fetchAll(db, request) }.readSet.region
      #expect(
        region.debugDescription
          == "album(id,studioId) where studioid = 1,studio(cityId,id,name) where id = 1,"
          + "track(albumId,id,name,secs) where albumid in (1, 2)")
    }
  }

  @Test func `without rows the associated rows do not matter`() throws {
    #expect(
      try recorded(Studio.filter(key: 9).including(all: Studio.albums)) == "studio(cityId,id,name) where id = 9")
  }

  @Test func `a region that is recorded once does not depend on the rows`() throws {
    try inMusicStore { db in
      let request = Studio.filter(key: 9).including(all: Studio.albums)
      let region = try db.recordingReads { _ = try Row.fetchAll(db, request) }.readSet.region
      #expect(region.description == "album(id,sequelId,studioId,title,year),studio(cityId,id,name)")
    }
  }
}
