extension TableRequest where Self: FilteredRequest {
  /// Returns a request of the rows that match a pattern, in an FTS3 or FTS4 table.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick'
  /// let request = Book.all().matching(FTS3Pattern(matchingAllTokensIn: "Moby Dick"))
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no row matches.
  public func matching(_ pattern: FTS3Pattern?) -> Self { matching(pattern?.sqlExpression) }

  /// Returns a request of the rows that match a pattern, in an FTS5 table.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick' ORDER BY "rank"
  /// let request = Book.all().matching(FTS5Pattern(matchingAllTokensIn: "Moby Dick")).order(Column.rank)
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no row matches.
  public func matching(_ pattern: FTS5Pattern?) -> Self { matching(pattern?.sqlExpression) }

  private func matching(_ pattern: SQLExpression?) -> Self {
    guard let pattern else { return none() }
    return filter(SQLExpression.binary(.match, SQLExpression(.table(.currentRelation)), pattern))
  }
}

extension TableRecord {
  /// Returns a request of the records that match a pattern, in an FTS3 or FTS4 table.
  ///
  /// ```swift
  /// let books = try Book.matching(FTS3Pattern(matchingAllTokensIn: "Moby Dick")).fetchAll(db)
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no record matches.
  public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

  /// Returns a request of the records that match a pattern, in an FTS5 table.
  ///
  /// ```swift
  /// let books = try Book.matching(FTS5Pattern(matchingAllTokensIn: "Moby Dick")).order(Column.rank).fetchAll(db)
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no record matches.
  public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }
}

extension Table {
  /// Returns a request of the rows that match a pattern, in an FTS3 or FTS4 table.
  ///
  /// ```swift
  /// let rows = try Table("book").matching(FTS3Pattern(matchingAllTokensIn: "Moby Dick")).fetchAll(db)
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no row matches.
  public func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }

  /// Returns a request of the rows that match a pattern, in an FTS5 table.
  ///
  /// ```swift
  /// let pattern = FTS5Pattern(matchingAllTokensIn: "Moby Dick")
  /// let rows = try Table("book").matching(pattern).order(Column.rank).fetchAll(db)
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no row matches.
  public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }
}

extension ColumnExpression {
  /// Returns a condition that is true if the column of an FTS3 or FTS4 table matches a pattern.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "title" MATCH 'moby dick'
  /// let request = Book.filter(Column("title").match(FTS3Pattern(matchingAllTokensIn: "Moby Dick")))
  /// ```
  ///
  /// - Parameter pattern: A pattern. If it is nil, no row matches.
  public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
    .binary(.match, sqlExpression, pattern.sqlExpression)
  }

  /// Returns a condition that is true if the column of an FTS5 table matches a pattern.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "title" MATCH 'moby*'
  /// let request = Book.filter(Column("title").match(try FTS5Pattern(rawPattern: "moby*")))
  /// ```
  ///
  /// - Parameter pattern: A pattern.
  public func match(_ pattern: FTS5Pattern) -> SQLExpression {
    .binary(.match, sqlExpression, pattern.sqlExpression)
  }
}
