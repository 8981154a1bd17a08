import Foundation

/// The sources of the parts with all mutants that compile.
struct RewrittenSources {
  private let package: ScratchPackage
  private let sources: [String]
  private let testSources: [String]
  private var originals: [String: String] = [:]
  private var texts: [String: String] = [:]

  /// The numbers of mutants that do not compile, relative to the first one of their source.
  private var dropped: [String: Set<Int>] = [:]
  private var firsts: [String: Int] = [:]

  private(set) var mutants: [Mutant] = []
  var droppedCount: Int { dropped.values.reduce(0) { $0 + $1.count } }

  /// Rewrites sources, and drops mutants until they compile. Writes the package.
  init(_ sources: [String], package: ScratchPackage, testSources: [String]) throws {
    (self.sources, self.package, self.testSources) = (sources, package, testSources)
    for source in sources { originals[source] = try package.text(of: source) }
    var cache = DroppedCache(package)
    let runtime = try package.runtime()
    var unchecked: [String] = []
    for source in sources {
      let text = Mutator(file: source, text: originals[source]!, firstNumber: 1).rewritten() + runtime
      dropped[source] = cache.dropped(source, text)
      if dropped[source] == nil { unchecked.append(source) }
      cache.begin(source, text)
    }
    try rewrite()
    try check(unchecked)
    for source in unchecked { cache.end(source, dropped[source, default: []]) }
    try cache.save()
  }

  private mutating func rewrite() throws {
    var first = 1
    mutants = []
    for source in sources {
      firsts[source] = first
      let numbers = Set(dropped[source, default: []].map { $0 + first - 1 })
      let mutator = Mutator(file: source, text: originals[source]!, firstNumber: first, dropped: numbers)
      texts[source] = mutator.rewritten()
      mutants += mutator.mutants
      first = mutator.endNumber
    }
    try package.write(testSources: testSources, rewritten: texts)
  }

  /// Compiles sources, and drops mutants until all errors are gone. The compiler reports some errors only after all
  /// others are corrected, so the last round compiles all sources.
  private mutating func check(_ all: [String]) throws {
    var unchecked = all
    while !unchecked.isEmpty {
      print("mutants: compiling \(unchecked.count) rewritten sources; \(droppedCount) mutants were dropped")
      let errors = try package.errors(in: unchecked)
      try drop(errors)
      let failed = Set(errors.map(\.source))
      if !failed.isEmpty {
        unchecked = all.filter(failed.contains)
      } else if unchecked.count < all.count {
        unchecked = all
      } else {
        return
      }
    }
  }

  /// Drops the mutants that may have caused errors.
  mutating func drop(_ errors: [CompilerError]) throws {
    let isVerbose = ProcessInfo.processInfo.environment["MUTANTS_VERBOSE"] != nil
    for error in errors {
      guard let text = texts[error.source], let first = firsts[error.source] else {
        throw Failure("an error in a source that was not rewritten: \(error)")
      }
      let known = mutants.filter { $0.file == error.source }
      let culprits = CompileCheck(text, known).culprits(of: error)
      if culprits.isEmpty { throw Failure("an error without a mutant: \(error)") }
      for mutant in known where isVerbose && culprits.contains(mutant.number) {
        print("mutants: dropped \(mutant): \(error.message)")
      }
      dropped[error.source, default: []].formUnion(culprits.map { $0 - first + 1 })
    }
    if !errors.isEmpty { try rewrite() }
  }

  /// Builds the tests. If there are errors after all, drops more mutants.
  mutating func build() throws -> String {
    while true {
      let (path, errors) = try package.build()
      if let path { return path }
      print("mutants: \(errors.count) errors in the build; dropping mutants")
      // Another source has changed: the remembered mutants may be wrong.
      try DroppedCache.remove(package)
      try drop(errors)
    }
  }
}

/// Remembers which mutants of a source do not compile, as long as the rewritten text stays the same.
struct DroppedCache {
  private struct Entry: Codable {
    var text: String
    var dropped: Set<Int>
  }

  private let path: String
  private var entries: [String: Entry]
  private var begun: [String: String] = [:]

  init(_ package: ScratchPackage) {
    path = Self.path(package)
    let data = FileManager.default.contents(atPath: path)
    // A cache in another form is ignored.
    entries = data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
  }

  private static func path(_ package: ScratchPackage) -> String { package.folder + "/../dropped.json" }

  func dropped(_ source: String, _ text: String) -> Set<Int>? {
    guard let entry = entries[source], entry.text == text else { return nil }
    return entry.dropped
  }

  mutating func begin(_ source: String, _ text: String) { begun[source] = text }

  mutating func end(_ source: String, _ dropped: Set<Int>) {
    entries[source] = begun[source].map { Entry(text: $0, dropped: dropped) }
  }

  func save() throws { try JSONEncoder().encode(entries).write(to: URL(fileURLWithPath: path)) }

  static func remove(_ package: ScratchPackage) throws {
    if FileManager.default.fileExists(atPath: path(package)) {
      try FileManager.default.removeItem(atPath: path(package))
    }
  }
}
