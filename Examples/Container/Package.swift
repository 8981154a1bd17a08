// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Container",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Tidemark", path: "../..")],
  targets: [
    .executableTarget(
      name: "Visits", dependencies: [.product(name: "TidemarkEssentials", package: "Tidemark")])
  ]
)
