/// The modules of the library, in dependency order, and the rule for dependencies.
enum Modules {
  /// A module may depend on itself and on the modules before it.
  static let order = [
    "Platform", "SQLite", "Regions", "SQLSyntax", "Statements", "RegionInference", "Grammar", "Printing", "Rows",
    "Fetching", "Values", "Functions", "Catalog", "Records", "QueryInterface", "ChangeCapture", "Transactions",
    "Schema", "Checkpoints", "Opening", "Access", "ExternalCommits", "Connections", "ChangedPages", "RegionIndex",
    "LiveQueries",
    "Observation", "Differences", "IncrementalResults", "Streams", "ChangeTracking", "ChangeFeed", "Changesets",
    "ProcessLock", "FullText", "JSON", "Dump",
  ]

  /// The modules of SQLiteDB. All of them may use Tidemark.
  static let sqliteDBOrder = [
    "Expressions", "Values", "Operators", "Functions", "Queries", "Rows", "Codable", "Connections", "Schema",
    "FullText",
  ]

  /// The folders of the demo.
  static let demoOrder = ["Cells", "Terminal", "Model", "View", "World", "Watch", "Commands"]

  /// The files that belong to no module: declarations for the other packages of this repository, and the re-exports
  /// of SQLiteDB.
  static let interfaceFiles: Set = [
    "\(SourceTree.library)/PackageInterface.swift", "\(SourceTree.sqliteDB)/Exports.swift",
  ]

  /// Files of the library that belong to no module, or to one that is not listed.
  static func strays(in files: [SourceFile], order: [String] = order) -> [Finding] {
    files.compactMap { file in
      if interfaceFiles.contains(file.path) { return nil }
      guard let module = file.module else {
        return file.finding(
          "This file is in no module. Move it into one of \(order.joined(separator: ", "))", line: 1)
      }
      if order.contains(module) { return nil }
      return file.finding(
        "There is no module \(module) in the plan. Put it at its place in Modules.order and in ARCHITECTURE.md", line: 1
      )
    }
  }

  /// References to declarations of later modules: types, members, extensions, operators and initializers.
  static func violations(_ references: some Sequence<CompilerIndex.Reference>, order: [String] = order) -> [Finding] {
    let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    return references.compactMap { reference in
      guard let module = SourceFile.module(ofPath: reference.path), let position = positions[module],
        let later = SourceFile.module(ofPath: reference.declaringPath), let laterPosition = positions[later],
        laterPosition > position
      else { return nil }
      return Finding(
        path: reference.path, line: reference.line,
        message: "\(module) comes before \(later), so it must not use \(reference.name)")
    }
    .sorted { ($0.path, $0.line, $0.message) < ($1.path, $1.line, $1.message) }
  }
}
