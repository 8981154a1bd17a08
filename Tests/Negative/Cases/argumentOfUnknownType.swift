// Only database values can be arguments of a statement.
// refused: Neither.*DatabaseValueConvertible

import Tidemark

func execute(_ db: Database) throws {
  try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [Neither()])
}
