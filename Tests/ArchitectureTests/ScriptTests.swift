import Foundation
import Testing

/// The scripts behave as the Makefile expects.
@Suite struct ScriptTests {
  static let canBuildPrograms = ["swiftc", "nm", "ldd", "awk"].allSatisfy(Command.exists)

  #if os(Linux)
    @Test(.enabled(if: canBuildPrograms, "Takes a compiler and binutils"))
    func programsRunWithoutOptionalSQLiteInterfaces() throws {
      let answer = try Command(["Scripts/check-optional-sqlite.sh"]).run()
      #expect(answer.status == 0, "\(answer.output)")
    }
  #endif

  // MARK: - setup.sh, on simulated machines with only a few programs

  @Test func setupDoesNothingIfEverythingIsInstalled() throws {
    let machine = try Machine(programs: ["swift": "", "clang": ""])
    #expect(try machine.setUp() == .init(status: 0, output: "", calls: ""))
  }

  @Test func setupReportsMissingSwift() throws {
    let answer = try Machine(programs: ["clang": ""]).setUp()
    #expect(answer.status == 1)
    #expect(answer.output.contains("no 'swift' on the PATH"))
  }

  @Test(arguments: [
    ("apt-get", "libsqlite3-dev"), ("dnf", "sqlite-devel"), ("yum", "sqlite-devel"), ("apk", "sqlite-dev"),
    ("brew", "sqlite"),
  ])
  func setupInstallsTheDistributionPackage(manager: String, package: String) throws {
    let machine = try Machine(programs: [
      "swift": "", "clang": #"[ -e "$MACHINE/installed" ]"#,
      manager: #"echo "$*" >> "$MACHINE/calls"; touch "$MACHINE/installed""#,
    ])
    let answer = try machine.setUp()
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.calls.contains(package))
  }

  @Test func setupUpdatesEmptyPackageListsFirst() throws {
    let machine = try Machine(programs: [
      "swift": "", "clang": #"[ -e "$MACHINE/installed" ]"#,
      "apt-get": #"""
      case "$*" in
        *update*) touch "$MACHINE/updated" ;;
        *) [ -e "$MACHINE/updated" ] && touch "$MACHINE/installed" ;;
      esac
      """#,
    ])
    let answer = try machine.setUp()
    #expect(answer.status == 0, "\(answer.output)")
  }

  @Test func setupWithoutNetworkReportsWhatIsMissing() throws {
    let answer = try Machine(programs: ["swift": "", "clang": "false", "apt-get": "false"]).setUp()
    #expect(answer.status == 1)
    #expect(answer.output.contains("apt-get could not install libsqlite3-dev"))
  }

  @Test func setupWithoutPackageManagerReportsWhatIsMissing() throws {
    let answer = try Machine(programs: ["swift": "", "clang": "false"]).setUp()
    #expect(answer.status == 1)
    #expect(answer.output.contains("so is a package manager"))
  }

  @Test func setupWithoutRootOrSudoPrintsTheCommand() throws {
    let answer = try Machine(programs: ["swift": "", "clang": "false", "dnf": "", "id": "echo 1000"]).setUp()
    #expect(answer.status == 1)
    #expect(answer.output.contains("As root, run: dnf install -y sqlite-devel"))
  }

  @Test func setupWithoutRootUsesSudo() throws {
    let machine = try Machine(programs: [
      "swift": "", "clang": #"[ -e "$MACHINE/installed" ]"#, "id": "echo 1000", "dnf": #"touch "$MACHINE/installed""#,
      "sudo": #"echo sudo >> "$MACHINE/calls"; [ "$1" = -n ] && shift; "$@""#,
    ])
    let answer = try machine.setUp()
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.calls == "sudo\n")
  }
}

/// A folder of programs that simulates a machine: `setup.sh` finds no other programs on its PATH.
private final class Machine {
  struct Answer: Equatable {
    var status: Int32
    var output: String
    var calls: String
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-setup-\(UUID().uuidString)")

  /// Programs by name, with the shell scripts that they run. A few tools that every machine has are added.
  init(programs: [String: String]) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let everywhere = ["env", "mktemp", "rm", "touch", "sh", "cat", "id"]
    for name in everywhere where programs[name] == nil {
      let tool = try #require(["/bin/", "/usr/bin/"].map { $0 + name }.first(where: FileManager.default.fileExists))
      try FileManager.default.createSymbolicLink(atPath: folder.appending(path: name).path(), withDestinationPath: tool)
    }
    var programs = programs
    if programs["id"] == nil { programs["id"] = "echo 0" }
    for (name, script) in programs {
      let program = folder.appending(path: name)
      try? FileManager.default.removeItem(at: program)
      try "#!/bin/sh\n\(script)\n".write(to: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func setUp() throws -> Answer {
    let environment = ["PATH": folder.path(), "MACHINE": folder.path()]
    let answer = try Command(["/bin/sh", "Scripts/setup.sh"], environment: environment).run()
    let calls = (try? String(contentsOf: folder.appending(path: "calls"), encoding: .utf8)) ?? ""
    return Answer(status: answer.status, output: answer.output, calls: calls)
  }
}
