// A column decodes a database value, and a scope decodes a record: rows decode nothing else.
// refused: no exact matches in call to subscript

import Tidemark

func read(_ row: Row) {
  let neither: Neither = row["name"]
  _ = neither
}
