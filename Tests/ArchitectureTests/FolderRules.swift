/// Rules for the files of a folder: few enough to read the list, each long enough to deserve a file.
enum FolderRules {
  static let filesMax = 25
  static let linesMin = 20

  /// Folders with too many files.
  static func crowded(_ files: [SourceFile]) -> [Finding] {
    Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
      .filter { $0.value.count > filesMax }
      .map { folder, files in
        Finding(
          path: folder, line: 1, message: "\(files.count) files, of \(filesMax) at most. Which subjects are these?")
      }
      .sorted { $0.path < $1.path }
  }

  /// Files with so few lines that their declarations are easier to find elsewhere.
  static func short(_ files: [SourceFile], reasons: [String: String] = reasons) -> [Finding] {
    files.compactMap { file in
      let count = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
      if count >= linesMin || reasons[String(file.path.split(separator: "/").last ?? "")] != nil { return nil }
      return file.finding("\(count) lines. Move them to a file with the same subject", line: 1)
    }
  }

  /// The short files with a reason.
  static let reasons = [
    "Tidemark.swift": "Re-exports the essential module.",
    "Exports.swift": "Re-exports modules.",
    "FoundationModule.swift": "The only place where one target of the package finds the other by the linker.",
    "FoundationServices.swift": "The other end of FoundationModule.swift.",
    "DatabaseError+NSError.swift": "A conformance of a type of another target.",
    "ConflictResolution.swift": "A public type on its own.",
    "RecordError.swift": "A public type on its own.",
    "RetainedStatements.swift": "A type on its own.",
  ]
}
