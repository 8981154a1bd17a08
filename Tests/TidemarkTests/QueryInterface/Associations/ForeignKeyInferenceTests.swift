import Testing
import Tidemark

/// How the columns of associations are found in the schema.
@Suite struct ForeignKeyInferenceTests {
  private func sql(_ request: some FetchRequest, _ schema: String = MusicStore.sql) -> String {
    do {
      return try inMemory { db in
        try db.execute(sql: schema)
        return try request.makePreparedRequest(db).statement.sql
      }
    } catch {
      return "\(error)"
    }
  }

  private let transfers = Table("transfer")
  private let cities = Table("city")

  @Test func `explicit columns are used as they are`() {
    #expect(
      sql(transfers.joining(required: transfers.belongsTo(cities, using: ForeignKey(["id"], to: ["region"]))))
        == #"SELECT "transfer".* FROM "transfer" JOIN "city" ON "city"."region" = "transfer"."id""#)
  }

  @Test func `columns select a foreign key of the schema, without case`() {
    #expect(
      sql(transfers.joining(required: transfers.belongsTo(cities, using: ForeignKey(["FROMCITYID"]))))
        == #"SELECT "transfer".* FROM "transfer" JOIN "city" ON "city"."id" = "transfer"."fromCityId""#)
    #expect(
      sql(cities.joining(required: cities.hasMany(transfers, using: ForeignKey([Column("toCityId")]))))
        == #"SELECT "city".* FROM "city" JOIN "transfer" ON "transfer"."toCityId" = "city"."id""#)
    #expect(
      sql(Table("ALBUM").including(required: Table("ALBUM").belongsTo(Table("STUDIO"))))
        == #"SELECT "ALBUM".*, "STUDIO".* FROM "ALBUM" JOIN "STUDIO" ON "STUDIO"."id" = "ALBUM"."studioId""#)
  }

  @Test func `columns without foreign key refer to the primary key`() {
    #expect(
      sql(cities.joining(required: cities.belongsTo(Table("studio"), using: ForeignKey(["region"]))))
        == #"SELECT "city".* FROM "city" JOIN "studio" ON "studio"."id" = "city"."region""#)
  }

  @Test func `several foreign keys are ambiguous`() {
    #expect(
      sql(transfers.joining(required: transfers.belongsTo(cities))) == """
        SQLite error 1: Ambiguous foreign key from 'transfer' to 'city'. To fix this error, provide an explicit \
        `ForeignKey` in the association definition.
        """)
  }

  @Test func `tables without foreign key cannot be associated without columns`() {
    #expect(
      sql(cities.joining(required: cities.belongsTo(Table("track")))) == """
        SQLite error 1: Could not infer foreign key from 'city' to 'track'. To fix this error, provide an explicit \
        `ForeignKey` in the association definition.
        """)
    let long = Table("longTrack")
    #expect(
      sql(Table("album").joining(required: Table("album").belongsTo(long, using: ForeignKey(["id"])))) == """
        SQLite error 1: Could not infer foreign key from 'album' to 'longTrack'. To fix this error, provide an \
        explicit `ForeignKey` in the association definition, with both origin and destination columns.
        """)
    #expect(
      sql(long.joining(required: long.belongsTo(Table("album"), using: ForeignKey(["albumId"]))))
        == #"SELECT "longTrack".* FROM "longTrack" JOIN "album" ON "album"."id" = "longTrack"."albumId""#)
  }

  @Test func `a missing table is an error`() {
    #expect(
      sql(Table("album").joining(required: Table("album").hasMany(Table("longBox"))))
        == "SQLite error 1: no such table: longBox")
    #expect(
      sql(Table("longBox").joining(required: Table("longBox").belongsTo(Table("album"))))
        == "SQLite error 1: no such table: longBox")
  }

  @Test func `the schema is read each time a request is prepared`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (aId REFERENCES a)")
      let request = Table("b").joining(required: Table("b").belongsTo(Table("a")))
      try db.expectFetch(request, #"SELECT "b".* FROM "b" JOIN "a" ON "a"."id" = "b"."aId""#)
      try db.execute(sql: "ALTER TABLE b RENAME COLUMN aId TO parentId")
      try db.expectFetch(request, #"SELECT "b".* FROM "b" JOIN "a" ON "a"."id" = "b"."parentId""#)
    }
  }
}
