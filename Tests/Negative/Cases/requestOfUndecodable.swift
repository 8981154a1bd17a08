// A request for a type that cannot be decoded from a row cannot be fetched.
// refused: Neither.*(RowDecodable|FetchableRecord|DatabaseValueConvertible)|fetchAll

import Tidemark

func fetch(_ db: Database) throws {
  _ = try SQLRequest<Neither>(sql: "SELECT 1").fetchAll(db)
}
