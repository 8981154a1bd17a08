/// The modules of the library, in dependency order, and the rule for dependencies.
enum Modules {
  /// A module may depend on itself and on the modules before it.
  static let order = [
    "Engine", "Regions", "Statements", "Grammar", "Printing", "Rows", "Fetching", "Values", "Functions", "Catalog",
    "Records",
    "Requests", "Transactions", "Schema", "Connections", "Observation", "Differences", "IncrementalResults", "Streams",
    "FullText", "JSON", "Dump",
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

  /// Words that name a type which only a later module declares.
  static func violations(in files: [SourceFile], order: [String] = order) -> [Finding] {
    let declared = declarations(in: files)
    return files.flatMap { file -> [Finding] in
      guard let module = file.module, let modulePosition = order.firstIndex(of: module) else { return [] }
      // Of two types with the same name, the one in the nearer module is meant. A file may use any name for its own
      // types.
      let known = order[...modulePosition].reduce(into: file.localTypeNames) { $0.formUnion(declared[$1] ?? []) }
      var later: [String: String] = [:]
      for laterModule in order[(modulePosition + 1)...].reversed() {
        for name in declared[laterModule] ?? [] where !known.contains(name) { later[name] = laterModule }
      }
      if later.isEmpty { return [] }
      return file.findings(in: file.swift.code) { line in
        let target = order == sqliteDBOrder ? "SQLiteDB" : "TidemarkEssentials"
        let names = Self.typeNames(in: line, of: target).filter { later[$0] != nil }
        guard let name = names.first, let laterModule = later[name] else { return nil }
        return "\(module) comes before \(laterModule), so it must not know \(name)"
      }
    }
  }

  /// The types that a module declares at file level, visible to other modules.
  private static func declarations(in files: [SourceFile]) -> [String: Set<String>] {
    files.reduce(into: [:]) { result, file in
      guard let module = file.module else { return }
      for line in file.swift.code where line.first?.isWhitespace == false {
        if let type = Declaration(line), type.isType, !type.isPrivate { result[module, default: []].insert(type.name) }
      }
    }
  }

  /// The words of a line that may name a type: they begin with a capital and are not a member of another type.
  ///
  /// - Parameter target: The prefix that may precede a type of our own.
  static func typeNames(in line: String, of target: String = "TidemarkEssentials") -> [String] {
    var names: [String] = []
    var word = ""
    var isMember = false
    var previous: Character = " "
    for character in line + " " {
      if character.isLetter || character.isNumber || character == "_" {
        if word.isEmpty { isMember = previous == "." && names.last != target }
        word.append(character)
      } else {
        if word.first?.isUppercase == true, !isMember { names.append(word) }
        word = ""
      }
      previous = character
    }
    return names
  }
}

extension SourceFile {
  /// The types that the file declares at any depth, associated types included: inside it they hide others of that name.
  fileprivate var localTypeNames: Set<String> {
    Set(swift.code.compactMap(Declaration.init).filter(\.isType).map(\.name))
  }
}
