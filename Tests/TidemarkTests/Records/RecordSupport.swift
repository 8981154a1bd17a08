import Testing

import Tidemark
@testable import TidemarkEssentials

/// The stored columns of a record, with their values.
func columns(of record: some EncodableRecord) throws -> String {
  try record.encoded().map { "\($0.0)=\($0.1)" }.joined(separator: " ")
}

/// The record of the first row of a query, from the running statement.
func fetchRecord<Record: FetchableRecord>(
  _ type: Record.Type, _ sql: String, adapter: (any RowAdapter)? = nil
) throws -> Record {
  let live = try inMemory { try Record.fetchOne($0, sql: sql, adapter: adapter) }
  return try #require(live)
}
