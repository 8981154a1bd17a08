#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import TidemarkEssentials

  /// The events of the files in a folder.
  @Suite struct FileEventsTests {
    private func names(_ events: FileEvents) -> Set<String> {
      var names: Set<String> = []
      events.forEach { if case .file(_, let name) = $0 { names.insert(String(decoding: name, as: UTF8.self)) } }
      return names
    }

    @Test func `events that do not fit in a buffer are all reported at once`() throws {
      let folder = try TemporaryFolder()
      let events = FileEvents()
      _ = try #require(events.watch(folder.path("")))
      let created = (100..<300).map { "\($0)" + String(repeating: "x", count: 240) }
      for name in created { try Data().write(to: URL(filePath: folder.path(name))) }
      #expect(names(events) == Set(created))
      #expect(names(events).isEmpty)
    }

    @Test func `an event after a read ends the next wait`() throws {
      let folder = try TemporaryFolder()
      let events = FileEvents()
      _ = try #require(events.watch(folder.path("")))
      for name in ["a", "b"] {
        try Data().write(to: URL(filePath: folder.path(name)))
        events.wait(for: .seconds(600), isInterruptible: true)
        #expect(names(events) == [name])
      }
    }
  }
#endif
