// Mutation testing: small changes of the sources, one at a time, which tests must notice.
//
//   make mutants [FILTER=part] [JOBS=2] [LIST=1]
//
// The tool copies the package to `.build-mutants`, and rewrites the sources of the parts so that each mutant can be
// switched on by a number in the environment. It drops the mutants that do not compile, and builds the tests once. For
// each mutant, it then runs the suites that reach it: see `parts.txt`. Survivors that were read and accepted are listed
// in `accepted.txt`. `LIST=1` lists the mutants without running them.

import Foundation

setvbuf(stdout, nil, _IOLBF, 0)

func run() throws -> Bool {
  let variables = ProcessInfo.processInfo.environment
  let root = FileManager.default.currentDirectoryPath
  let list = root + "/Scripts/Mutants"
  func text(_ name: String) throws -> String { try String(contentsOfFile: "\(list)/\(name)", encoding: .utf8) }

  try SelfTest.run(root: root)
  print("mutants: the tool passes its own test")
  let filter = variables["FILTER"] ?? ""
  let all = try PartList.read(text("parts.txt"))
  let parts = all.filter { filter.isEmpty || $0.name.contains(filter) }
  guard !parts.isEmpty else { throw Failure("no part contains '\(filter)': \(all.map(\.name))") }
  let accepted = try Accepted.read(text("accepted.txt"))
  let testSources = try text("test-sources.txt").split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }

  let package = ScratchPackage(root: root)
  var sources = try RewrittenSources(all.flatMap(\.sources), package: package, testSources: testSources)
  print("mutants: \(sources.mutants.count) mutants; \(sources.droppedCount) more do not compile")
  if variables["LIST"] != nil {
    for mutant in sources.mutants { print(mutant) }
    return true
  }
  let program = TestProgram(path: try sources.build())
  let jobs = variables["JOBS"].flatMap { Int($0) } ?? 2
  var report = Report(accepted: accepted)
  for part in parts {
    let mutants = sources.mutants.filter { part.sources.contains($0.file) }
    do {
      report.add(try PartRun(part, mutants, program, highest: sources.mutants.last?.number ?? 0, jobs: jobs))
    } catch {
      report.add(problem: "\(part.name): \(error)")
    }
  }
  return report.finish()
}

do {
  if try !run() { exit(1) }
} catch {
  print("mutants: \(error)")
  exit(1)
}
