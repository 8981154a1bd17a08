// An array of values cannot be fetched: a row has one value per column, and a record gives them names.
// refused: \[Int\].*fetchAll|Array<Int>

import Tidemark

func fetch(_ db: Database) throws {
  _ = try [Int].fetchAll(db, sql: "SELECT 1, 2")
}
