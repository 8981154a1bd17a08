#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import TidemarkEssentials

  /// Invariant: after a file was moved, deleted or replaced, its connection looks at its path (hazard F5).
  @Suite struct FileMovesTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("a/b/db.sqlite") }

    init() throws {
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
      try create("a/b/db.sqlite")
    }

    private func create(_ name: String) throws {
      try #require(FileManager.default.createFile(atPath: folder.path(name), contents: nil))
    }

    private func move(_ name: String, to other: String) throws {
      try #require(rename(folder.path(name), folder.path(other)) == 0)
    }

    private func watch() throws -> FileMoveWatch { try #require(FileMoveWatch(path: path)) }

    // MARK: - One file

    @Test(arguments: [
      ("a/b/db.sqlite", "a/b/other"), ("a/b/db.sqlite", "db.sqlite"), ("a/b", "a/c"), ("a", "b"),
    ])
    func `a file that is moved with a folder or without is noticed`(_ from: String, _ to: String) throws {
      let watch = try watch()
      #expect(watch.isQuiet)
      try move(from, to: to)
      #expect(!watch.isQuiet)
      #expect(!watch.renew())
      #expect(!watch.isQuiet)
    }

    @Test func `a deleted file is noticed while it is open`() throws {
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      let watch = try watch()
      unlink(path)
      #expect(!watch.isQuiet)
      #expect(!watch.renew())
      try file.close()
    }

    @Test(arguments: [true, false])
    func `a file that is replaced by another one is noticed`(_ isOpen: Bool) throws {
      let file = isOpen ? FileHandle(forUpdatingAtPath: path) : nil
      try create("other")
      let watch = try watch()
      try move("other", to: "a/b/db.sqlite")
      #expect(!watch.isQuiet)
      // The new file can be watched: that it is another one shows at its path.
      #expect(watch.renew())
      #expect(watch.isQuiet)
      try file?.close()
    }

    @Test func `writing a file and the files beside it is no event`() throws {
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      let watch = try watch()
      try file.write(contentsOf: Data(count: 10_000))
      try file.synchronize()
      try file.truncate(atOffset: 100)
      for name in ["db.sqlite-wal", "db.sqlite-shm", "neighbor"] { try create("a/b/" + name) }
      try move("a/b/neighbor", to: "a/b/other")
      for name in ["db.sqlite-wal", "db.sqlite-shm", "other"] { unlink(folder.path("a/b/" + name)) }
      #expect(watch.isQuiet)
      try file.close()
    }

    @Test func `a renewed watch notices that the folders around a moved folder are moved`() throws {
      let watch = try watch()
      try move("a/b", to: "c")
      try move("a", to: "former")
      try FileManager.default.createDirectory(atPath: folder.path("a"), withIntermediateDirectories: false)
      try move("c", to: "a/b")
      #expect(!watch.isQuiet)
      #expect(watch.renew())
      #expect(watch.isQuiet)
      try move("a", to: "d")
      #expect(!watch.isQuiet)
    }

    @Test(arguments: ["missing", "a/b/db.sqlite/below", "missing/db.sqlite"])
    func `a file that does not exist is not watched`(_ name: String) {
      #expect(FileMoveWatch(path: folder.path(name)) == nil)
    }

    @Test func `a relative path is not watched, because the current folder may change`() {
      #expect(FileMoveWatch(path: "db.sqlite") == nil)
    }

    // MARK: - Several files

    @Test func `an event is noticed by each watch, whichever is renewed first`() throws {
      let watches = [try watch(), try watch()]
      try move("a/b/db.sqlite", to: "other")
      try move("other", to: "a/b/db.sqlite")
      #expect(watches[0].renew())
      #expect(watches[0].isQuiet)
      #expect(!watches[1].isQuiet)
      #expect(watches[1].renew())
      #expect(watches[0].isQuiet && watches[1].isQuiet)
    }

    @Test func `a watch is renewed after another one in the same folder has ended`() throws {
      try create("a/b/other")
      let watch = try watch()
      do {
        let other = try #require(FileMoveWatch(path: folder.path("a/b/other")))
        #expect(other.isQuiet && watch.isQuiet)
      }
      #expect(!watch.isQuiet)
      #expect(watch.renew())
      #expect(watch.isQuiet)
      try move("a", to: "b")
      #expect(!watch.isQuiet)
    }

    @Test func `renewing a watch does not disturb the others in its folder`() throws {
      try create("a/b/other")
      let watch = try watch()
      let other = try #require(FileMoveWatch(path: folder.path("a/b/other")))
      #expect(other.renew())
      #expect(watch.isQuiet)
    }

    @Test func `the end of a watch removes it from the system`() throws {
      /// The watches of all inotify instances of the process.
      func watchCount() throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
        // A descriptor may have been closed since.
        let texts = names.compactMap { try? String(contentsOfFile: "/proc/self/fdinfo/" + $0, encoding: .utf8) }
        return texts.reduce(0) { $0 + $1.components(separatedBy: "inotify wd:").count - 1 }
      }
      let before = try watchCount()
      var watch: FileMoveWatch? = try watch()
      #expect(try watchCount() >= before + 3)
      #expect(watch?.renew() == true)
      watch = nil
      #expect(try watchCount() == before)
    }

    /// Each thread moves its own file, and must notice it, although other threads remove the events from the queue.
    @Test func `threads notice that their files are moved while others remove events`() throws {
      let threads = try (0..<3).map { number in
        let (here, there) = ("a/b/\(number)", "a/\(number)")
        try create(here)
        return Background {
          let watch = try #require(FileMoveWatch(path: folder.path(here)))
          var missed = 0
          for _ in 0..<2_000 {
            try move(here, to: there)
            if watch.isQuiet { missed += 1 }
            try move(there, to: here)
            try #require(watch.renew())
          }
          return missed
        }
      }
      #expect(try threads.map { try $0.value() } == [0, 0, 0])
    }

    // MARK: - Commits

    /// The numbers of the commits that look at the path.
    private func looks(_ check: inout FileMoveCheck, _ commits: Range<Int>, path: String?) -> [Int] {
      commits.filter { _ in check.mustLook { path } }
    }

    @Test func `a connection that commits often looks at the path rarely`() throws {
      var check = FileMoveCheck()
      #expect(looks(&check, 1..<101, path: path) == Array(1..<101))
      #expect(looks(&check, 101..<301, path: path) == [200, 300])
    }

    @Test func `a connection looks at the path after each event`() throws {
      var check = FileMoveCheck()
      _ = looks(&check, 1..<101, path: path)
      try move("a/b", to: "c")
      try move("c", to: "a/b")
      #expect(looks(&check, 101..<104, path: path) == [101])
      try move("a/b", to: "c")
      // The folder is not at the path, so that it cannot be watched.
      #expect(looks(&check, 104..<107, path: path) == [104, 105, 106])
      try move("c", to: "a/b")
      #expect(looks(&check, 107..<204, path: path) == Array(107..<201))
    }

    @Test func `a file that cannot be watched is looked at before each commit`() throws {
      var check = FileMoveCheck()
      #expect(looks(&check, 1..<301, path: nil) == Array(1..<301))
      #expect(looks(&check, 301..<501, path: folder.path("missing")) == Array(301..<501))
    }
  }
#endif
