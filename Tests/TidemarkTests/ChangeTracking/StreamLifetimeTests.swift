import Foundation
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The objects that streams retain, and that are left when they have ended.
@Suite(.untilItHangs) struct StreamLifetimeTests {
  @Test(arguments: [Observed.fileQueue, .pool])
  func `an abandoned stream releases its database`(_ kind: Observed) async throws {
    weak var core: _DatabaseCore?
    do {
      let database = try kind.open()
      core = database.writer._core
      let stream = try await database.writer.changes(in: Table("team"))
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
      #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
    }
    #expect(core == nil)
  }

  @Test(arguments: [Observed.fileQueue, .pool])
  func `a stream of a closed database keeps no detection of external commits`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes(in: Table("team"))
    let core = database.writer._core
    #expect(core.hasExternalCommitListeners)
    try database.writer.close()
    #expect(!core.hasExternalCommitListeners)
    var changes = stream.makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await changes.next() }
  }

  @Test func `a stream that begins after a file was moved does not end with the old error`() async throws {
    let database = try Observed.pool.open()
    let (path, moved) = (database.writer.path, database.folder.path("moved"))
    let stream = try await database.writer.changes(in: Table("team"))
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    var changes = stream.makeAsyncIterator()
    let error = await #expect(throws: DatabaseError.self) { while try await changes.next() != nil {} }
    #expect(error?.message?.contains("moved") == true)
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    let later = try await database.writer.changes(in: Table("team"))
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    #expect(try await lines(later) == ["INSERT team [1]: id 1, name \"Red\""])
    #expect(try await changes.next() == nil)
  }
}
