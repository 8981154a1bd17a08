import Foundation
import Synchronization
import TestSupport
import Tidemark

@testable import Demo

/// A database file for a test. The programs that watch it may live longer than the test: it is removed when
/// the tests end.
final class SampleFile: Sendable {
  let path: String
  private let folder: URL

  init(_ sql: String) throws {
    folder = Self.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "sample.sqlite").path()
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { db in try db.execute(sql: sql) }
    try dbQueue.close()
  }

  private static let folder: URL = {
    atexit {
      // The system cleans up its temporary folder.
      try? FileManager.default.removeItem(at: SampleFile.place)
    }
    return place
  }()

  private static let place = FileManager.default.temporaryDirectory.appending(path: "tidemark-demo-tests-\(getpid())")

  func sibling(_ name: String) -> String { folder.appending(path: name).path() }
}

extension Pane {
  /// A pane with loaded rows.
  static func sample(
    _ id: Int = 1, _ title: String = "Sample", _ columns: [String], _ rows: [[CellValue]], hasMore: Bool = false
  ) -> Pane {
    var pane = Pane(id: id, title: title, subject: .query(Query(trusted: "SELECT \(id)"), PageRequest()))
    pane.page = ResultPage(columns: columns, rows: rows, hasMore: hasMore).measured()
    return pane
  }
}

extension Dashboard {
  /// A dashboard of a given size.
  static func sample(_ panes: [Pane], width: Int, height: Int, world: WorldState? = nil) -> Dashboard {
    var dashboard = Dashboard(title: "Sample", panes: panes, world: world)
    dashboard.size = Size(width: width, height: height)
    return dashboard
  }

  /// The text of the screen.
  var lines: [String] { DashboardView(dashboard: self).draw().grid.lines }
}

/// The received events, in order.
final class Reports<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  func add(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }

  /// Waits for a number of events.
  func wait(count: Int, file: String = #fileID, line: Int = #line) async throws -> [Value] {
    try await Wait.until("\(count) values", file: file, line: line) { all.count >= count }
    return all
  }
}
