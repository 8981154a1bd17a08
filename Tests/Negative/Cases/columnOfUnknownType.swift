// A column is read as a value of the database, and a scope as a record: nothing else comes out of a row.
// refused: no exact matches in call to subscript

import Tidemark

func read(_ row: Row) {
  let neither: Neither = row["name"]
  _ = neither
}
