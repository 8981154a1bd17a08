/// What the statements read that run while a closure does.
final class SelectionRecorder {
  private(set) var region = DatabaseRegion()

  /// A statement begins to run: its arguments are bound.
  func record(_ statement: Statement) {
    record(statement.databaseRegion)
  }

  /// Something else was read.
  func record(_ other: DatabaseRegion) {
    // Most closures run one statement.
    region = region.isEmpty ? other : region.union(other)
  }
}

extension Database {
  /// Runs a closure, and answers what its statements have read.
  func recordingSelection<Result>(_ body: () throws -> Result) rethrows -> (result: Result, region: DatabaseRegion) {
    let outer = selectionRecorder
    let recorder = SelectionRecorder()
    selectionRecorder = recorder
    defer { selectionRecorder = outer }
    let result = try body()
    outer?.record(recorder.region)
    return (result, recorder.region)
  }
}
