extension QueryInterfaceRequest {
  /// What the request reads: tables, columns, and rows as far as its filters tell them.
  ///
  /// ```swift
  /// try Player.filter(keys: [1, 2]).databaseRegion(db)    // player(id,name,score)[1,2]
  /// ```
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let region = try makePreparedRequest(db, forSingleResult: false).databaseRegion
    return relation.limit == nil ? region.namingRowIDs() : region
  }
}
