/// A cache of the SQL that fetches the records of a type by primary key.
///
/// Invariants:
///
/// 1. The cached SQL is identical to the SQL of `filter(key:)`.
/// 2. An entry is valid while the schema, the table name and the selection of the record type stay the same. If the
///    selection does not consist of columns only, the SQL is printed each time.
final class KeyRequests: DatabaseModuleState {
  private struct Entry {
    let recordType: ObjectIdentifier
    let tableName: String
    let generation: UInt
    let selection: [SimpleSelection]
    let sql: String
  }

  // Consecutive lookups usually concern the same record type.
  private var latest: Entry?
  private var entries: [ObjectIdentifier: Entry] = [:]

  fileprivate func sql(
    for recordType: any TableRecord.Type, _ generation: UInt, make: () throws -> String
  ) throws -> String {
    let id = ObjectIdentifier(recordType)
    let tableName = recordType.databaseTableName
    let selection = recordType.databaseSelection
    let latest = latest
    let isLatest = latest?.recordType == id
    if let entry = isLatest ? latest : entries[id], entry.generation == generation, entry.tableName == tableName,
      selection.isSame(as: entry.selection)
    {
      if !isLatest { self.latest = entry }
      return entry.sql
    }
    let sql = try make()
    if let simple = selection.simple {
      let entry = Entry(
        recordType: id, tableName: tableName, generation: generation, selection: simple, sql: sql)
      entries[id] = entry
      self.latest = entry
    }
    return sql
  }
}

extension Database {
  /// Returns the request of the record with a primary key.
  ///
  /// - Parameter request: The same for any key that is not NULL, in general.
  @usableFromInline
  func keyRequest(
    for recordType: any TableRecord.Type, _ key: KeyValue, general request: () throws -> PreparedRequest
  ) throws -> PreparedRequest {
    let generation = try catalogGeneration()
    let sql = try moduleState(KeyRequests.self).sql(for: recordType, generation) { try request().statement.sql }
    let value = try databaseValue(ofKey: key, for: recordType)
    return PreparedRequest(
      statement: try preparedStatement(sql: sql), arguments: StatementArguments(values: [value]), adapter: nil)
  }
}
