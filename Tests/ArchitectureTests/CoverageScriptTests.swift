import Foundation
import Testing

/// `Scripts/coverage.py`, with sources and coverage that the tests choose.
@Suite(.enabled(if: Command.exists("python3"), "Takes Python"))
struct CoverageScriptTests {
  private static let stepSource = """
    struct Step {
      let next: Int?

      func run(
        twice: Bool
      ) -> Int {
        guard let next else { return 0 }

        // The second time.
        return twice ? next : 1
      }
    }

    """

  private static let path = "Sources/TidemarkEssentials/Statements/Step.swift"
  private static let body = """
    {
        guard let next else { return 0 }

        // The second time.
        return twice ? next : 1
      }
    """

  /// A report about `Step`, whose body ran once and whose two branches have the given counts.
  private static func step(early: Int, twice: Int, list: String = "", target: String = "Statements 50") throws
    -> CoverageReport
  {
    try CoverageReport(
      sources: [path: stepSource],
      functions: [
        [.init(path, body, count: 1), .init(path, "{ return 0 }", count: early), .init(path, "next :", count: twice)]
      ], list: list, targets: target)
  }

  @Test func `a report has a line for each module, and one for each region that was not reached`() throws {
    let report = try Self.step(early: 0, twice: 3)
    #expect(report.row("Statements") == ["3", "0", "0", "2", "66.67", "50"])
    #expect(report.row("all") == ["3", "0", "0", "2", "66.67"])
    #expect(report.unreached == ["\(Self.path):7: run: guard let next else »{ return 0 }"])
    #expect(report.status == 0)
  }

  @Test func `a module that has less than its target fails`() throws {
    let report = try Self.step(early: 0, twice: 3, target: "Statements 67")
    #expect(report.status == 1)
    #expect(report.problems == ["Statements has 66.67 %, less than its target of 67 %"])
  }

  @Test func `a target of a module that does not exist fails`() throws {
    let report = try Self.step(early: 1, twice: 1, target: "Steps 98")
    #expect(report.problems == ["there is no module Steps, which has a target"])
  }

  @Test func `regions of modules without a target are not listed`() throws {
    let report = try Self.step(early: 0, twice: 0, target: "")
    #expect(report.row("Statements") == ["3", "0", "0", "1", "33.33"])
    #expect(report.unreached == [])
    #expect(report.status == 0)
  }

  @Test func `a region is reached if any instance of its function has reached it`() throws {
    let instances = [0, 2, 0].map { [CoverageReport.Region(Self.path, "{ return 0 }", count: $0)] }
    let report = try CoverageReport(
      sources: [Self.path: Self.stepSource], functions: instances, list: "", targets: "Statements 98")
    #expect(report.row("Statements") == ["1", "0", "0", "1", "100.00", "98"])
  }

  @Test func `files outside of folders belong to their target`() throws {
    let sources = [
      "Sources/Tidemark/A.swift": "func a() { x() }\n", "Sources/SQLiteDB/Rows/B.swift": "func b() { y() }\n",
    ]
    let report = try CoverageReport(
      sources: sources,
      functions: [
        [.init("Sources/Tidemark/A.swift", "{ x() }", count: 1)],
        [.init("Sources/SQLiteDB/Rows/B.swift", "{ y() }", count: 0)],
      ], list: "", targets: "")
    #expect(report.row("Tidemark") == ["1", "0", "0", "1", "100.00"])
    #expect(report.row("SQLiteDB/Rows") == ["1", "0", "0", "0", "0.00"])
  }

  @Test func `code after a branch begins behind the comments`() throws {
    let rest = """


          // The second time.
          return twice ? next : 1
        }
      """
    let report = try CoverageReport(
      sources: [Self.path: Self.stepSource], functions: [[.init(Self.path, rest, count: 0)]], list: "",
      targets: "Statements 0")
    #expect(report.unreached == ["\(Self.path):10: run: »return twice ? next : 1"])
  }

  @Test func `regions without code do not count`() throws {
    let report = try CoverageReport(
      sources: [Self.path: Self.stepSource],
      functions: [[.init(Self.path, "\n  }\n", count: 0), .init(Self.path, "next :", count: 1)]], list: "", targets: "")
    #expect(report.row("Statements") == ["1", "0", "0", "1", "100.00"])
  }

  // MARK: - Traps

  private static let trapSource = """
    func check(_ value: Int, _ name: String) {
      precondition(value > 0, "\\(name) must be positive")
      switch value {
      case 1: use()
      case 2:
        preconditionFailure("there is no value 2")
      default: fatalError(name)
      }
    }

    """

  @Test func `regions that only trap have a column of their own, unless tests reach them`() throws {
    let path = "Sources/TidemarkEssentials/Access/Check.swift"
    let traps = [
      #""\(name) must be positive""#, "case 2:\n    preconditionFailure(\"there is no value 2\")",
      "default: fatalError(name)",
    ]
    for (count, row) in [(0, ["1", "3", "0", "1", "100.00"]), (1, ["4", "0", "0", "4", "100.00"])] {
      let report = try CoverageReport(
        sources: [path: Self.trapSource],
        functions: [[.init(path, "case 1: use()", count: 1)] + traps.map { .init(path, $0, count: count) }],
        list: "", targets: "")
      #expect(report.row("Access") == row)
    }
  }

  // MARK: - The list

  private static let entry = """
    # A comment.

    TidemarkEssentials/Statements/Step.swift: run
      guard let next else »{ return 0 }
      There is always a next step.

    """

  @Test func `listed regions do not count`() throws {
    let report = try Self.step(early: 0, twice: 1, list: Self.entry, target: "Statements 98")
    #expect(report.row("Statements") == ["2", "0", "1", "2", "100.00", "98"])
    #expect(report.status == 0)
  }

  @Test func `an entry that tests reach fails`() throws {
    let report = try Self.step(early: 1, twice: 1, list: Self.entry)
    #expect(report.status == 1)
    #expect(
      report.problems == [
        "list.txt:4: TidemarkEssentials/Statements/Step.swift: run: guard let next else »{ return 0 }: "
          + "tests reach this region. Remove the entry"
      ])
  }

  @Test(arguments: [("run", "walk"), ("next else »", "next »else "), ("Step.swift", "Steps.swift"), ("0", "1")])
  func `an entry without a region fails`(text: String, other: String) throws {
    let list = Self.entry.replacing(text, with: other, maxReplacements: 1)
    let report = try Self.step(early: 0, twice: 1, list: list)
    #expect(report.status == 1)
    #expect(report.problems.first?.hasSuffix(": there is no such region. Remove or correct the entry") == true)
  }

  @Test func `an entry without a reason fails`() throws {
    let report = try Self.step(
      early: 0, twice: 1, list: Self.entry.replacing("  There is always a next step.\n", with: ""))
    #expect(report.status == 1)
    #expect(report.text.contains("an entry has code, with », and then a reason"))
  }

  @Test func `entries whose code does not exist are found without coverage`() throws {
    for (list, status) in [(Self.entry, 0), (Self.entry.replacing("next", with: "step"), 1)] as [(String, Int32)] {
      let folder = try CoverageFolder(sources: [Self.path: Self.stepSource], list: list)
      let answer = try Command(
        ["Scripts/coverage.py", "--check-list", "--root", folder.path, "--list", folder.list]
      ).run()
      #expect(answer.status == status, "\(answer.output)")
    }
  }

  @Test func `the code of the entries in the repository exists`() throws {
    let answer = try Command(["Scripts/coverage.py", "--check-list"]).run()
    #expect(answer.status == 0, "\(answer.output)")
  }
}

/// A folder with sources and a list.
private final class CoverageFolder {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-coverage-\(UUID().uuidString)")

  var path: String { folder.path() }
  var list: String { file("list.txt") }

  init(sources: [String: String], list: String) throws {
    for (path, text) in sources { try write(text, to: path) }
    try write(list, to: "list.txt")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> String { folder.appending(path: name).path() }

  func write(_ text: String, to name: String) throws {
    let url = folder.appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
}

/// A run of the script, with its report.
private struct CoverageReport {
  /// A region: the first place of a text in a file.
  struct Region {
    var path: String
    var text: String
    var count: Int

    init(_ path: String, _ text: String, count: Int) {
      (self.path, self.text, self.count) = (path, text, count)
    }

    /// The region as `llvm-cov export` writes it.
    func exported(in source: String) throws -> [Int] {
      let range = try #require(source.range(of: text), "\(text)")
      let places = [range.lowerBound, range.upperBound].flatMap { index in
        let lines = source[..<index].split(separator: "\n", omittingEmptySubsequences: false)
        return [lines.count, (lines.last?.utf8.count ?? 0) + 1]
      }
      return places + [count, 0, 0, 0]
    }
  }

  var status: Int32
  var text: String

  init(sources: [String: String], functions: [[Region]], list: String, targets: String) throws {
    let folder = try CoverageFolder(sources: sources, list: list)
    let exported = try functions.map { regions in
      [
        "filenames": [folder.file(regions[0].path)],
        "regions": try regions.map { try $0.exported(in: #require(sources[$0.path])) },
      ] as [String: Any]
    }
    let export = try JSONSerialization.data(withJSONObject: ["data": [["functions": exported]]])
    try folder.write(String(decoding: export, as: UTF8.self), to: "export.json")
    try folder.write(targets, to: "targets.txt")
    (status, text) = try Command([
      "Scripts/coverage.py", folder.file("export.json"), "--root", folder.path, "--list", folder.list, "--targets",
      folder.file("targets.txt"),
    ]).run()
  }

  private var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The columns of the line of a module.
  func row(_ module: String) -> [String]? {
    lines.map { $0.split(separator: " ").map(String.init) }.first { $0.first == module }.map { Array($0.dropFirst()) }
  }

  var unreached: [String] { lines.filter { $0.hasPrefix("Sources/") } }

  var problems: [String] { lines.filter { $0.hasPrefix("coverage: ") }.map { String($0.dropFirst(10)) } }
}
