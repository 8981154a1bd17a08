/// The region of a request, with the columns of the indexes that SQLite uses for the arguments of the request.
///
/// The region of a statement contains the columns that determine the order of rows which the statement sorts equally,
/// but only for the query plan that SQLite chooses without arguments.
struct PlanRegion: DatabaseRegionConvertible {
  let request: any FetchRequest

  func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    var region = try request.databaseRegion(db)
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    let (sql, arguments) = (prepared.preparedStatement.sql, prepared.currentArguments)
    if arguments.isEmpty { return region }
    let uses = try db.tables(usedBy: sql).tables
    for (table, use) in try db.tables(usedBy: sql, arguments).tables where use != uses[table] {
      let columns = use.hasExpressions ? nil : use.columns
      region.formUnion(DatabaseRegion(tables: [table: TableRegion(columns: columns)]))
    }
    return region
  }
}
