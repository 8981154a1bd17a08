import Foundation
import SQLiteDB
import Testing

@Suite struct WriteAheadLogTests {
  let folder: Folder
  let path: String

  init() throws {
    folder = try Folder()
    path = folder.path("db.sqlite")
  }

  @Test("The journal mode is read, set, and given when a connection opens")
  func journalMode() throws {
    let db = try Connection(path)
    #expect(db.journalMode == .delete)
    db.journalMode = .wal
    #expect(db.journalMode == .wal)
    try db.close()
    #expect(try Connection(path, journalMode: .persist).journalMode == .persist)
    #expect(try Connection(.inMemory, journalMode: .wal).journalMode == .memory)
  }

  @Test("The durability is read and set", arguments: Connection.SynchronousMode.allCases)
  func synchronous(_ mode: Connection.SynchronousMode) throws {
    let db = try Connection(path, journalMode: .wal)
    db.synchronous = mode
    #expect(db.synchronous == mode)
  }

  @Test("The length of the log that makes a checkpoint is read and set")
  func autoCheckpoint() throws {
    let db = try Connection(path, journalMode: .wal)
    #expect(db.walAutoCheckpoint == 1000)
    db.walAutoCheckpoint = 0
    #expect(db.walAutoCheckpoint == 0)
    db.walAutoCheckpoint = 50
    #expect(db.walAutoCheckpoint == 50)
  }

  @Test("A checkpoint copies the log, and tells how much", arguments: Connection.CheckpointMode.allCases)
  func checkpoint(_ mode: Connection.CheckpointMode) throws {
    let db = try Connection(path, journalMode: .wal)
    try db.run("CREATE TABLE t (a)")
    let result = try db.walCheckpoint(mode, database: "main")
    #expect(!result.isBusy)
    if mode == .truncate {
      #expect(result.frameCount == 0)
    } else {
      #expect(result.frameCount == result.checkpointedFrameCount)
      #expect((result.frameCount ?? 0) > 0)
    }
  }

  @Test("Without a log, a checkpoint does nothing")
  func noLog() throws {
    let result = try Connection(path).walCheckpoint()
    #expect(result.isBusy == false)
    #expect(result.frameCount == nil)
    #expect(result.checkpointedFrameCount == nil)
  }
}
