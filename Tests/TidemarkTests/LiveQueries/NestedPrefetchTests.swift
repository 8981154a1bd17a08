import Testing
import Tidemark

/// Live queries whose prefetched rows have prefetched rows themselves.
@Suite struct NestedPrefetchTests {
  @Test(arguments: [nil, 1])
  func `rows behind rows of a composite key are observed`(limit: Int?) throws {
    let database = try Observed.queue.open()
    try database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE place (country TEXT, city INTEGER, PRIMARY KEY (country, city));
          CREATE TABLE shop (id INTEGER PRIMARY KEY, country TEXT, city INTEGER);
          CREATE TABLE visit (id INTEGER PRIMARY KEY, shopId INTEGER);
          INSERT INTO place VALUES ('NO', 1);
          INSERT INTO shop VALUES (7, 'NO', 1);
          """)
    }
    let (place, shop) = (Table("place"), Table("shop"))
    let visits = shop.hasMany(Table("visit"), key: "visits", using: ForeignKey(["shopId"], to: ["id"]))
    let shops = place.hasMany(shop, key: "shops", using: ForeignKey(["country", "city"], to: ["country", "city"]))
    var request = place.including(all: shops.including(all: visits))
    if let limit { request = request.limit(limit) }
    let observation = ValueObservation.tracking { [request] db in
      try Row.fetchOne(db, request)?.prefetchedRows["shops"]?.first?.prefetchedRows["visits"]?.map { $0["id"] as Int }
    }
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    try database.writer.write { try $0.execute(sql: "INSERT INTO visit VALUES (3, 7)") }
    try deliveries.wait(forLast: [3])
    cancellable.cancel()
  }
}
