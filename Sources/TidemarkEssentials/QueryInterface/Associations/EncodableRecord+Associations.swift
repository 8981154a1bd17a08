extension TableRecord where Self: EncodableRecord {
  /// Returns a request of the rows that are associated with this record.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "authorId" = 1
  /// let books = try author.request(for: Author.books).fetchAll(db)
  /// ```
  ///
  /// The request uses the values of the record, not those in the database. If a column of the foreign key is NULL, the
  /// request has no rows.
  ///
  /// - Parameter association: An association of the record type.
  /// - Returns: A request. If the record cannot be encoded, the request throws the error when it runs.
  public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
  where A.OriginRowDecoder == Self {
    let path = association._path
    guard case .columns(let columns) = path.steps[0].condition else {
      preconditionFailure(
        """
        Not implemented: request association without any foreign key. Filter a request of the destination type instead.
        """)
    }
    let encoded = Result {
      var container = PersistenceContainer()
      try encode(to: &container)
      return container
    }
    var prefetch = Prefetch(steps: path.steps.map { $0.child(.all) })
    for index in prefetch.steps.indices.dropLast() {
      prefetch.steps[index].relation = prefetch.steps[index].relation.joiningOnly
    }
    // The condition depends on the schema: the columns of the foreign key.
    return QueryInterfaceRequest(
      prefetch.relation(where: { db in
        let container = try encoded.get()
        let conditions = try columns.pairs(db).map { pair in
          (value: container.storedValue(of: pair.left) ?? .null, column: pair.right)
        }
        if conditions.contains(where: { $0.value.isNull }) { return .value(false) }
        return .chain(.and, conditions.map { .equal(.column($0.column), .value($0.value)) })
      }))
  }
}
