// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Notes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Tidemark", path: "../..")],
  targets: [.executableTarget(name: "Notes", dependencies: [.product(name: "Tidemark", package: "Tidemark")])]
)
