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

    @Test func `durations that no system call can represent are cut off`() {
      #expect(Duration.seconds(Int64.max).inNanoseconds == .max)
      #expect(Duration.seconds(Int64.min).inNanoseconds == .min)
      #expect(Duration.milliseconds(1_500).inNanoseconds == 1_500_000_000)
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

    @Test func `the loss of events is reported if the system's queue is full`() throws {
      let folder = try TemporaryFolder()
      let events = FileEvents()
      _ = try #require(events.watch(folder.path("")))
      let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
      try Data().write(to: URL(filePath: folder.path("a")))
      // Each renaming is two events.
      for number in 0...(try #require(Int(limit.filter(\.isNumber)))) / 2 {
        let (old, new) = number % 2 == 0 ? ("a", "b") : ("b", "a")
        try #require(rename(folder.path(old), folder.path(new)) == 0)
      }
      var isReported = false
      events.forEach { if $0 == .everything { isReported = true } }
      #expect(isReported)
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
