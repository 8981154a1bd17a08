import Tidemark

// The values that the examples about changesets and process locks use. See `Values.swift`.

var changes: Changeset { fatalError() }
var history: ChangeHistory { fatalError() }

struct DatabaseWriter_ProcessLockExamples {
  func sendMails() async throws {}
  func removeOldEntries() async throws -> Int { 0 }
}
