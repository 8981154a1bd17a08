// The types that the cases use: a record, a value, and a type that is neither.

import Tidemark

struct Player: FetchableRecord {
  var name: String

  init(row: Row) throws { name = row["name"] }
}

struct Colour: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { .null }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Colour? { nil }
}

struct Neither {}
