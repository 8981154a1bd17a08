// Only a value of the database can be an argument of a statement.
// refused: Neither.*DatabaseValueConvertible

import Tidemark

func execute(_ db: Database) throws {
  try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [Neither()])
}
