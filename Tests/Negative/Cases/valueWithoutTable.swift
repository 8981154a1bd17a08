// A value belongs to no table: only a type with a table name can be fetched without SQL.
// refused: fetchAll|missing argument|value of type 'Database'

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Colour.fetchAll(db)
}
