import Foundation
import Testing
import Tidemark

/// `Configuration.allowsAttachedFiles` (hazard A6).
@Suite struct AttachedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeQueue(allows: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsAttachedFiles = allows
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    try dbQueue.write { try $0.createBooks() }
    return dbQueue
  }

  // swift-format-ignore
  @Test(arguments: [
    ("ATTACH 'FILE' AS other", []), ("ATTACH ? AS other", ["FILE"]), ("ATTACH 'FI' || 'LE' AS other", []), ("VACUUM INTO 'FILE'", []),
    ("VACUUM INTO ?", ["FILE"]), ("ATTACH 'file:FILE' AS other", []), ("DETACH main", []), ("ATTACH ':memory:' AS other", []),
  ] as [(String, [String])])
  func attachingIsRefused(_ sql: String, _ arguments: [String]) throws {
    let other = folder.path("other")
    let dbQueue = try makeQueue(allows: false)
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.inDatabase {
        try $0.execute(
          sql: sql.replacing("FI' || 'LE", with: "\(folder.path)' || '/other").replacing("FILE", with: other),
          arguments: StatementArguments(arguments.map { $0.replacing("FILE", with: other) }))
      }
    }
    #expect(error?.resultCode == .SQLITE_AUTH)
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM pragma_database_list") } == ["main"])
  }

  @Test func rebuildingAndErasingAreAllowed() throws {
    let dbQueue = try makeQueue(allows: false)
    try dbQueue.vacuum()
    #expect(try dbQueue.read { try $0.titles() } == [])
    try dbQueue.erase()
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") } == 0)
  }

  @Test func attachingIsAllowedByDefault() throws {
    let dbQueue = try makeQueue(allows: true)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ATTACH ? AS other", arguments: [folder.path("other")])
      try db.execute(sql: "CREATE TABLE other.t (a); DETACH other")
    }
    try dbQueue.vacuum(into: folder.path("copy"))
    #expect(try DatabaseQueue(path: folder.path("copy")).read { try $0.titles() } == [])
  }
}
