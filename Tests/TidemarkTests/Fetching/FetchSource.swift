import Tidemark

/// Where results come from.
enum FetchSource: CaseIterable {
  case sql, statement, request, requestItself
}

/// The four verbs, from one source.
struct Fetches<Element: Hashable> {
  var all: (Database, String) throws -> [Element]
  var set: (Database, String) throws -> Set<Element>
  var one: (Database, String) throws -> Element?
  var cursor: (Database, String) throws -> AnyCursor<Element>
}

// The public surface stands twice, and so does what tests it.

extension FetchSource {
  func fetches<T: RowDecodable & Hashable>(_ type: T.Type = T.self) -> Fetches<T> {
    Fetches(
      all: { db, sql in
        switch self {
        case .sql: try T.fetchAll(db, sql: sql, arguments: [0])
        case .statement: try T.fetchAll(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchAll(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchAll(db)
        }
      },
      set: { db, sql in
        switch self {
        case .sql: try T.fetchSet(db, sql: sql, arguments: [0])
        case .statement: try T.fetchSet(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchSet(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchSet(db)
        }
      },
      one: { db, sql in
        switch self {
        case .sql: try T.fetchOne(db, sql: sql, arguments: [0])
        case .statement: try T.fetchOne(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchOne(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchOne(db)
        }
      },
      cursor: { db, sql in
        switch self {
        case .sql: try AnyCursor(T.fetchCursor(db, sql: sql, arguments: [0]))
        case .statement: try AnyCursor(T.fetchCursor(db.makeStatement(sql: sql), arguments: [0]))
        case .request: try AnyCursor(T.fetchCursor(db, SQLRequest<Row>(sql: sql, arguments: [0])))
        case .requestItself: try AnyCursor(SQLRequest<T>(sql: sql, arguments: [0]).fetchCursor(db))
        }
      })
  }
}

extension FetchSource {
  @_disfavoredOverload
  func fetches<T: DatabaseValueConvertible & Hashable>(_ type: T.Type = T.self) -> Fetches<T> {
    Fetches(
      all: { db, sql in
        switch self {
        case .sql: try T.fetchAll(db, sql: sql, arguments: [0])
        case .statement: try T.fetchAll(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchAll(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchAll(db)
        }
      },
      set: { db, sql in
        switch self {
        case .sql: try T.fetchSet(db, sql: sql, arguments: [0])
        case .statement: try T.fetchSet(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchSet(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchSet(db)
        }
      },
      one: { db, sql in
        switch self {
        case .sql: try T.fetchOne(db, sql: sql, arguments: [0])
        case .statement: try T.fetchOne(db.makeStatement(sql: sql), arguments: [0])
        case .request: try T.fetchOne(db, SQLRequest<Row>(sql: sql, arguments: [0]))
        case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchOne(db)
        }
      },
      cursor: { db, sql in
        switch self {
        case .sql: try AnyCursor(T.fetchCursor(db, sql: sql, arguments: [0]))
        case .statement: try AnyCursor(T.fetchCursor(db.makeStatement(sql: sql), arguments: [0]))
        case .request: try AnyCursor(T.fetchCursor(db, SQLRequest<Row>(sql: sql, arguments: [0])))
        case .requestItself: try AnyCursor(SQLRequest<T>(sql: sql, arguments: [0]).fetchCursor(db))
        }
      })
  }
}
