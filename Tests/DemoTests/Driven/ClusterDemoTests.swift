import Foundation
import StressSupport
import Testing

@testable import Demo

/// `make cluster-demo` in a terminal multiplexer: three nodes, three etcd servers, and a pane for commands.
@Suite(
  .serialized, .enabled(if: Tmux.isThere, "Takes tmux"),
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd"), "Takes etcd: Scripts/etcd.sh"),
  .enabled(if: DemoProgram.isBuilt, "Takes the program Demo beside the tests"))
struct ClusterDemoTests {
  /// The positions that the panes of the nodes show.
  private func positions(_ lines: [String]) -> [Int] {
    lines.flatMap { line in
      line.matches(of: /position in the log +([0-9,]+)/).compactMap { Int($0.1.replacing(",", with: "")) }
    }
  }

  /// The ends of the logs of the servers, and whether their processes exist.
  private func servers(_ folder: TestFolder) throws -> String {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { demo in
      try ["s1", "s2", "s3"].map { name in
        let path = "\(folder.path)/\(demo)/\(name)"
        let process = try String(contentsOfFile: "\(path).pid", encoding: .utf8).trimmingCharacters(in: .newlines)
        let runs = FileManager.default.fileExists(atPath: "/proc/\(process)")
        return try "\(name), \(runs): " + String(contentsOfFile: "\(path).log", encoding: .utf8).suffix(1_000)
      }
    }
    .joined(separator: "\n")
  }

  @Test func theOthersGoOnWhenANodeAndAServerAreKilled() throws {
    let folder = try TestFolder()
    let tmux = try Tmux(width: 200, height: 60)
    try tmux.wait(for: "ready>")
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path()
    try tmux.type("cd '\(root)' && export TIDEMARK_DEMO_PROGRAM='\(DemoProgram.path)' TMPDIR='\(folder.path)'")
    try tmux.press("Enter")
    try tmux.type("Scripts/cluster-demo.sh; echo code $?")
    try tmux.press("Enter")
    try tmux.wait("all nodes are there") { lines in
      let screen = lines.joined(separator: "\n")
      return ["node a", "node b", "node c", "quit"].allSatisfy(screen.contains) && positions(lines).count == 3
    }

    // With one server missing, killing another one stops the log.
    let started = try servers(folder)
    #expect(!started.contains(", false"), "\(started)")

    func order(_ text: String) throws {
      try tmux.type(text)
      try tmux.press("Enter")
    }
    try order("kill a")
    try order("kill s1")
    try order("status")
    let killed = try tmux.wait("a and s1 are stopped") { lines in
      let screen = lines.joined(separator: "\n")
      return screen.contains("s1  stopped") && screen.contains("a  stopped")
    }
    // The killed node still shows its last position.
    let reached = try #require(positions(killed).max())
    try tmux.wait("the other nodes go on") { lines in positions(lines).count { $0 > reached + 5 } >= 2 }

    try order("start s1")
    try order("start a")
    try tmux.wait("all nodes go on") { lines in positions(lines).count { $0 > reached + 10 } == 3 }
    try order("quit")
    try tmux.wait(for: "code")
  }

  @Test func commandLineOfANodeIsChecked() throws {
    let options = NodeOptions(
      name: "a", folder: "/tmp/x", endpoints: ["http://127.0.0.1:2379", "https://b:1"].compactMap { URL(string: $0) },
      writerCount: 3)
    let words = ["node", "a", "--folder", "/tmp/x", "--etcd", "http://127.0.0.1:2379,https://b:1", "--writers=3"]
    #expect(try DemoCommand(words) == .node(options))
    for words in [
      ["node"], ["node", "a", "--folder", "x"], ["node", "a", "b", "--folder", "x", "--etcd", "http://c"],
      ["node", "a", "--folder", "x", "--etcd", "c:1"],
    ] {
      #expect(throws: Failure.self) { try DemoCommand(words) }
    }
  }
}
