// swift-tools-version: 6.2
import PackageDescription

let tidemark = Target.Dependency.product(name: "Tidemark", package: "Tidemark")

func program(_ name: String) -> Target { .executableTarget(name: name, dependencies: ["Shop", tidemark]) }

let package = Package(
  name: "Shop",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Tidemark", path: "../..")],
  targets: [
    .target(name: "Shop", dependencies: [tidemark]), program("ShopWriter"), program("AuditLog"), program("PriceCache"),
    program("Outbox"), program("SearchIndex"), program("Replica"),
    .executableTarget(name: "LineEditor", dependencies: [tidemark]),
  ]
)
