import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

private let id = Column("id")
private let secs = Column("secs")

/// Which commits wake a live query of a request with associations.
@Suite struct AssociationWakeTests {
  private final class Woken: Sendable {
    let isWoken = Atomic(false)
  }

  /// Returns the changes that wake a live query of a request, each in a database of its own.
  private func changes(_ changes: [String], thatWake request: some FetchRequest & Sendable) throws -> [String] {
    try changes.filter { sql in
      // Rows are deleted without the rows that refer to them.
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let dbQueue = try DatabaseQueue(configuration: configuration)
      let region = try dbQueue.write { db in
        try db.execute(
          sql: MusicStore.sql + """
            CREATE INDEX albumByStudio ON album (studioId);
            CREATE INDEX trackByAlbum ON track (albumId);
            CREATE INDEX creditByMusician ON credit (musicianId);
            """)
        return try db.recordingReads(usesBounds: true) { _ = try Row.fetchAll(db, request) }
          .readSet.region.observable(db)
      }
      let index = RegionIndex<Int>(rowCountMin: 2_000)
      _ = index.insert(region, 0)
      let woken = Woken()
      let subscription = dbQueue.changeBroker.subscribe(index.needs) { changes in
        if changes.isUnknown { woken.isWoken.store(true, ordering: .relaxed) }
        for table in changes.tables { index.match(table) { _ in woken.isWoken.store(true, ordering: .relaxed) } }
      }
      defer { withExtendedLifetime(subscription) {} }
      try dbQueue.write { try $0.execute(sql: sql) }
      return woken.isWoken.load(ordering: .relaxed)
    }
  }

  @Test func `prefetched rows of other rows do not wake`() throws {
    let own = [
      "INSERT INTO album VALUES (9, 'New', 1, 1999, NULL)", "UPDATE album SET title = 'x' WHERE id = 1",
      "UPDATE album SET studioId = 1 WHERE id = 3", "UPDATE album SET studioId = NULL WHERE id = 1",
      "DELETE FROM album WHERE id = 2", "UPDATE studio SET name = 'x' WHERE id = 1",
    ]
    let others = [
      "INSERT INTO album VALUES (9, 'New', 2, 1999, NULL)", "UPDATE album SET title = 'x' WHERE id = 3",
      "UPDATE album SET studioId = 3 WHERE id = 4", "DELETE FROM album WHERE id = 3",
      "UPDATE studio SET name = 'x' WHERE id = 2", "INSERT INTO track VALUES (9, 1, 'x', 1)",
    ]
    let request = Studio.filter(key: 1).including(all: Studio.albums)
    #expect(try changes(own + others, thatWake: request) == own)
  }

  @Test func `counts are woken by rows that change them`() throws {
    let own = [
      "INSERT INTO track VALUES (9, 1, 'x', 200)", "UPDATE track SET secs = 90 WHERE id = 2",
      "UPDATE track SET albumId = 1 WHERE id = 3", "DELETE FROM track WHERE id = 2",
    ]
    let others = [
      "INSERT INTO track VALUES (9, 2, 'x', 200)", "INSERT INTO track VALUES (9, 1, 'x', 20)",
      "UPDATE track SET name = 'x' WHERE id = 2", "UPDATE track SET secs = 61 WHERE id = 1",
      "DELETE FROM track WHERE id = 3", "UPDATE album SET title = 'x' WHERE id = 2",
    ]
    let request = Album.filter(key: 1).annotated(with: Album.tracks.filter(secs > 100).count)
    #expect(try changes(own + others, thatWake: request) == own)
    let having = Album.filter(key: 1).having(Album.tracks.filter(secs > 100).isEmpty)
    #expect(try changes(own + others, thatWake: having) == own)
  }

  @Test func `rows behind other tables wake if they are reached`() throws {
    let own = [
      "UPDATE track SET name = 'x' WHERE id = 3", "INSERT INTO track VALUES (9, 2, 'x', 1)",
      "UPDATE album SET studioId = NULL WHERE id = 2",
    ]
    let others = [
      "UPDATE track SET name = 'x' WHERE id = 4", "INSERT INTO track VALUES (9, 3, 'x', 1)",
      "UPDATE album SET title = 'x' WHERE id = 3", "UPDATE album SET studioId = 3 WHERE id = 3",
      "INSERT INTO credit VALUES (1, 2, 'x')",
    ]
    let through = Studio.filter(key: 1).including(all: Studio.tracks)
    #expect(try changes(own + others, thatWake: through) == own)
    let nested = Studio.filter(key: 1).including(all: Studio.albums.including(all: Album.tracks))
    #expect(try changes(own + others, thatWake: nested) == own)
    let joined = Studio.filter(key: 1).including(optional: Studio.albums.including(optional: Album.tracks))
    #expect(try changes(own + others, thatWake: joined) == own)
  }

  @Test func `a chain of associations is woken by its own rows`() throws {
    let own = [
      "UPDATE musician SET name = 'x' WHERE id = 2", "INSERT INTO credit VALUES (1, 2, 'x')",
      "DELETE FROM track WHERE id = 2", "UPDATE city SET name = 'x' WHERE id = 1",
    ]
    let others = [
      "UPDATE musician SET name = 'x' WHERE id = 3", "INSERT INTO credit VALUES (3, 2, 'x')",
      "UPDATE track SET name = 'x' WHERE id = 3", "UPDATE city SET name = 'x' WHERE id = 2",
      "UPDATE studio SET name = 'x' WHERE id = 2",
    ]
    let tracks = Album.tracks.including(all: Track.musicians)
    let request = Album.filter(key: 1)
      .including(all: tracks)
      .including(optional: Album.studio.including(optional: Studio.city))
    #expect(try changes(own + others, thatWake: request) == own)
  }

  @Test func `prefetched rows with other composite keys do not wake`() throws {
    let own = [
      "INSERT INTO shipment VALUES (9, 'FR', 'x1', 1)", "UPDATE shipment SET qty = 1 WHERE id = 3",
      "UPDATE shipment SET country = NULL WHERE id = 3",
    ]
    let others = [
      "INSERT INTO shipment VALUES (9, 'NO', 'x1', 1)", "UPDATE shipment SET qty = 1 WHERE id = 1",
      "UPDATE shipment SET qty = 7 WHERE id = 4",
    ]
    let request = Pressing.filter { $0.country == "FR" }.including(all: Pressing.shipments)
    #expect(try changes(own + others, thatWake: request) == own)
  }
}
