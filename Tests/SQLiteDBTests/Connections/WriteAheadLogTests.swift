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

  @Test func journalModeIsReadAndSet() throws {
    let db = try Connection(path)
    #expect(db.journalMode == .delete)
    db.journalMode = .wal
    #expect(db.journalMode == .wal)
    try db.close()
    #expect(try Connection(path, journalMode: .persist).journalMode == .persist)
    #expect(try Connection(.inMemory, journalMode: .wal).journalMode == .memory)
  }

  @Test(arguments: Connection.SynchronousMode.allCases)
  func synchronousModeIsReadAndSet(_ mode: Connection.SynchronousMode) throws {
    let db = try Connection(path, journalMode: .wal)
    db.synchronous = mode
    #expect(db.synchronous == mode)
  }

  @Test func automaticCheckpointThresholdIsReadAndSet() throws {
    let db = try Connection(path, journalMode: .wal)
    #expect(db.walAutoCheckpoint == 1000)
    db.walAutoCheckpoint = 0
    #expect(db.walAutoCheckpoint == 0)
    db.walAutoCheckpoint = 50
    #expect(db.walAutoCheckpoint == 50)
  }

  @Test(arguments: Connection.CheckpointMode.allCases)
  func checkpointCopiesTheLog(_ mode: Connection.CheckpointMode) throws {
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

  @Test func checkpointWithoutALogHasNoEffect() throws {
    let result = try Connection(path).walCheckpoint()
    #expect(result.isBusy == false)
    #expect(result.frameCount == nil)
    #expect(result.checkpointedFrameCount == nil)
  }
}
