import Foundation
import Testing
import Tidemark

/// `Database.logError`. SQLite accepts a log only before its first connection: each test has a process of its own.
@Suite struct ErrorLogTests {
  @Test func sqliteMessagesAreLogged() async {
    await #expect(processExitsWith: .success) {
      let messages = Locked<[(ResultCode, String)]>([])
      Database.logError = { code, message in messages.update { $0.append((code, message)) } }
      precondition(Database.logError != nil)
      let dbQueue = try DatabaseQueue.withBooks()
      precondition(messages.value.isEmpty)
      _ = message { try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES (NULL)") } }
      precondition(messages.value.map(\.0) == [.SQLITE_CONSTRAINT_NOTNULL])
      precondition(messages.value[0].1.contains("NOT NULL constraint failed: book.title"))

      Database.logError = nil
      _ = message { try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES (NULL)") } }
      precondition(messages.value.count == 1)
    }
  }

  @Test @MainActor func logFunctionsSetOnTheMainActorRunElsewhere() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let count = Locked(0)
      Database.logError = { _, _ in count.update { $0 += 1 } }
      let dbQueue = try DatabaseQueue()
      _ = try? await dbQueue.write { try $0.execute(sql: "SELECT nothing") }
      precondition(count.value == 1)
    }
  }

  @Test func settingTheLogAfterTheFirstConnectionSkipsSQLiteMessages() async {
    await #expect(processExitsWith: .success) {
      let dbQueue = try DatabaseQueue()
      let count = Locked(0)
      Database.logError = { _, _ in count.update { $0 += 1 } }
      _ = message { try dbQueue.write { try $0.execute(sql: "SELECT nothing") } }
      precondition(count.value == 0)
    }
  }
}
