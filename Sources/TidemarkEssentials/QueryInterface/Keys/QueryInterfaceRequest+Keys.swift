// Keys that no row can have, such as NULL, return early without a query.

extension QueryInterfaceRequest {
  func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
  }

  func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  func deleteAll(_ db: Database, keys: some Sequence<some DatabaseValueConvertible>) throws -> Int {
    let keys = keys.map { KeyValue($0) }
    return keys.allSatisfy { $0.isNull } ? 0 : try filter(keyValues: keys).deleteAll(db)
  }

  func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }
}
