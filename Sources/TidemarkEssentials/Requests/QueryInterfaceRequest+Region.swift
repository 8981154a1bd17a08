extension QueryInterfaceRequest {
  /// Returns the region that the request reads: tables, columns, and the rows that its filters allow, as far as they
  /// are known.
  ///
  /// ```swift
  /// try Player.filter(keys: [1, 2]).databaseRegion(db)    // player(id,name,score)[1,2]
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The region of the request.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the query.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let region = try makePreparedRequest(db, forSingleResult: false).databaseRegion
    return relation.limit == nil ? region.namingRowIDs() : region
  }
}
