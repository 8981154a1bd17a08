// A column is read as a value of the database, and as nothing else.
// refused: Neither

import Tidemark

func read(_ row: Row) {
  let neither: Neither = row["name"]
  _ = neither
}
