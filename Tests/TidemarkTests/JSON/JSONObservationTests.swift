import TestSupport
import Testing
import Tidemark

private let info = JSONColumn("info")

/// The regions of requests on JSON columns, and their observation.
@Suite(.untilItHangs) struct JSONObservationTests {
  // swift-format-ignore
  @Test(arguments: [
    (Place.filter(info["city"] == "Rome").select(Column("id")), "pl(id,info)"),
    (Place.select(info["city"]), "pl(info)"),
    (Place.filter(id: 1).select(info["city"]), "pl(id,info)[1]"),
    (Place.select(Database.jsonGroupObject(key: Column("name"), value: JSONColumn("tags"))), "pl(name,tags)"),
  ])
  func `regions contain JSON columns`(request: QueryInterfaceRequest<Place>, region: String) throws {
    try inPlaces { db in try #expect(request.databaseRegion(db).description == region) }
  }

  @Test func `rows are selected by the value of a part`() throws {
    try inPlaces { db in
      // Not the text of the column, but a part of it is compared: any change of the column can matter.
      let raw = try SQLRequest<Row>("SELECT id FROM pl WHERE info ->> 'city' = 'Rome'").databaseRegion(db)
      #expect(raw.description == "pl(id,info)")
    }
  }

  @Test func `a change of a part is observed`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { try $0.execute(sql: placeSQL) }
    let observation = ValueObservation.tracking { db in
      try Place.filter(info["city"] == "Rome").select(Column("id"), as: Int.self).fetchAll(db)
    }
    var values = observation.removeDuplicates().values(in: dbQueue).makeAsyncIterator()
    #expect(try await values.next() == [1])
    try await dbQueue.write { db in
      _ = try Place.filter(id: 2).updateAll(db, info.set(to: #"{"city":"Rome"}"#))
    }
    #expect(try await values.next() == [1, 2])
    try await dbQueue.write { db in
      _ = try Place.filter(id: 1).updateAll(db, info.set(to: Database.jsonSet(info, ["$.city": "Oslo"])))
    }
    #expect(try await values.next() == [2])
    try await dbQueue.write { db in _ = try Place.filter(id: 2).deleteAll(db) }
    #expect(try await values.next() == [])
  }
}
