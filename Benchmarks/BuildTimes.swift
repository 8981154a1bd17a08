import Foundation

// Times of compiling the library without optimization: from scratch, and after a change of one line.

func measureBuildTimes(_ report: Report) throws {
  let package = try LibraryCopy()
  defer { package.remove() }
  for (name, target) in [("clean debug build of the library", 60.0), ("after a change of one line", 15.0)] {
    let begin = DispatchTime.now().uptimeNanoseconds
    try package.build()
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    report.add(Figure(group: "builds", name: name, value: seconds, unit: .seconds, target: target))
    try package.changeALine()
  }
}

/// A copy of the library alone, in a folder of its own.
private struct LibraryCopy {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-build-\(UUID().uuidString)")

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let strict: [SwiftSetting] = [
      .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
    let package = Package(
      name: "Tidemark", platforms: [.macOS(.v15)], products: [.library(name: "Tidemark", targets: ["Tidemark"])],
      targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "TidemarkEssentials", dependencies: ["CSQLite"], swiftSettings: strict),
        .target(name: "Tidemark", dependencies: ["TidemarkEssentials"], swiftSettings: strict),
      ])
    """

  init() throws {
    let sources = FileManager.default.currentDirectoryPath + "/Sources"
    guard FileManager.default.fileExists(atPath: sources) else {
      throw Failure(description: "\(sources) is not there: the builds are measured in the folder of the package")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: sources, toPath: folder.path() + "/Sources")
    try FileManager.default.removeItem(atPath: folder.path() + "/Sources/SQLiteDB")
    try Self.manifest.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
  }

  func build() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "build", "--package-path", folder.path()]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(description: "swift build failed") }
  }

  func changeALine() throws {
    let file = folder.appending(path: "Sources/TidemarkEssentials/Statements/Statement.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    try (text + "\nprivate func oneLineMore() -> Int { 1 }\n").write(to: file, atomically: true, encoding: .utf8)
  }

  func remove() {
    // The system cleans up its temporary folder.
    try? FileManager.default.removeItem(at: folder)
  }
}
