// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Set by `make test-release`: the package then contains only the targets that tests in release builds need.
let isForReleaseTests = Context.environment["TIDEMARK_RELEASE_TESTS"] == "1"

/// Set by `make test-nats`: the package then contains only the cluster and its tests.
let isForNATSTests = Context.environment["TIDEMARK_NATS_TESTS"] == "1"

/// Set by `make fuzz`: the package then contains the library and the fuzzing program alone, instrumented for libFuzzer.
let isForFuzzing = Context.environment["TIDEMARK_FUZZING"] == "1"

/// The folders and files of TidemarkTests that run in release builds: live queries and their foundations.
let releaseTestSources = [
  "Access/GroupedWriteFailureTests.swift", "Access/GroupedWriteTests.swift", "Access/ThreadStopTests.swift",
  "ChangeFeed/FedDatabase.swift", "ChangeTracking", "Changesets", "Connections/PoolSupport.swift",
  "Connections/ReaderKinds.swift", "Differences", "ExternalCommits", "IncrementalResults", "LiveQueries", "Observation",
  "Platform/MutexTests.swift",
  "RegionIndex", "RegionInference", "Regions", "Support",
]

let package = Package(
  name: "Tidemark",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Tidemark", targets: ["Tidemark"]),
    .library(name: "TidemarkEssentials", targets: ["TidemarkEssentials"]),
    .library(name: "SQLiteDB", targets: ["SQLiteDB"]),
    .library(name: "TidemarkCluster", targets: ["TidemarkCluster"]),
    .library(name: "TidemarkClusterNATS", targets: ["TidemarkClusterNATS"]),
    .library(name: "CSQLite", targets: ["CSQLite"]),
    .executable(name: "Demo", targets: ["Demo"]),
  ],
  traits: [
    .trait(
      name: "NATS", description: "Compiles TidemarkClusterNATS, which requires the NATS client for C (libnats-dev).")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite3"])]),
    .target(name: "TidemarkEssentials", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "Tidemark", dependencies: ["TidemarkEssentials"], swiftSettings: strict),
    .target(name: "SQLiteDB", dependencies: ["Tidemark", "CSQLite"], swiftSettings: strict),
    .target(name: "TidemarkCluster", dependencies: ["Tidemark"], swiftSettings: strict),
    // Without the trait, the module is empty, and nothing looks for the header of the C client.
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .target(
      name: "TidemarkClusterNATS",
      dependencies: ["TidemarkCluster", .target(name: "CNATS", condition: .when(traits: ["NATS"]))],
      swiftSettings: strict),
    .executableTarget(name: "Demo", dependencies: ["Tidemark", "TidemarkCluster"], path: "Demo", swiftSettings: strict),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["Tidemark", "TidemarkCluster", "SQLiteDB", "CSQLite", "CBaseline", "CTokenizers", "CFeed"],
      path: "Benchmarks", exclude: ["Baseline", "Programs", "results"], swiftSettings: strict),
    .target(name: "CBaseline", path: "Benchmarks/Baseline", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CTokenizers", path: "Benchmarks/Programs/CTokenizers"),
    .target(name: "CFeed", path: "Benchmarks/Programs/CFeed", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "StartLibrary", dependencies: ["TidemarkEssentials"], path: "Benchmarks/Programs/StartLibrary",
      swiftSettings: strict),
    .executableTarget(
      name: "StartBare", dependencies: ["CSQLite"], path: "Benchmarks/Programs/StartBare", swiftSettings: strict),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(name: "TidemarkTests", dependencies: ["Tidemark", "CSQLite", "TestSupport"]),
    .testTarget(name: "SQLiteDBTests", dependencies: ["SQLiteDB", "StressSupport", "Tidemark"]),
    .testTarget(
      name: "TidemarkClusterTests",
      dependencies: [
        "TidemarkCluster", "Tidemark", "StressSupport", "TestSupport",
        .target(name: "TidemarkClusterNATS", condition: .when(traits: ["NATS"])),
      ]),
    .executableTarget(
      name: "ClusterChild", dependencies: ["TidemarkCluster", "Tidemark", "StressSupport"], path: "Tests/ClusterChild"),
    .target(name: "StressSupport", dependencies: ["Tidemark", "CSQLite", "TestSupport"], path: "Tests/StressSupport"),
    .testTarget(
      name: "StressTests", dependencies: ["Tidemark", "CSQLite", "CFaultVFS", "StressSupport", "TestSupport"]),
    .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
      name: "FaultTests", dependencies: ["Tidemark", "CSQLite", "CFaultVFS", "StressSupport", "TestSupport"]),
    .executableTarget(name: "StressLive", dependencies: ["StressSupport"], path: "Tests/StressLive"),
    .executableTarget(name: "StressChild", dependencies: ["Tidemark", "StressSupport"], path: "Tests/StressChild"),
    .testTarget(name: "DemoTests", dependencies: ["Demo", "StressSupport", "TestSupport", "Tidemark"]),
    .target(name: "CIndexStore", path: "Tests/CIndexStore"),
    .testTarget(name: "ArchitectureTests", dependencies: ["CIndexStore"]),
    .testTarget(name: "FuzzTests", dependencies: ["Tidemark", "SQLiteDB", "CSQLite"], exclude: ["Corpus"]),
  ],
  swiftLanguageModes: [.v6]
)

if isForReleaseTests {
  let names: Set = [
    "CSQLite", "TidemarkEssentials", "Tidemark", "TestSupport", "TidemarkTests", "StressSupport", "StressTests",
    "StressChild", "TidemarkCluster", "TidemarkClusterTests", "ClusterChild", "CNATS", "TidemarkClusterNATS",
    "CFaultVFS", "FaultTests",
  ]
  package.products.removeAll { !["Tidemark", "TidemarkEssentials", "CSQLite"].contains($0.name) }
  package.targets.removeAll { !names.contains($0.name) }
  package.targets.first { $0.name == "TidemarkTests" }?.sources = releaseTestSources
}

if isForNATSTests {
  let names: Set = [
    "CSQLite", "TidemarkEssentials", "Tidemark", "TidemarkCluster", "CNATS", "TidemarkClusterNATS", "TestSupport",
    "StressSupport", "TidemarkClusterTests", "ClusterChild",
  ]
  package.products.removeAll { !names.contains($0.name) }
  package.targets.removeAll { !names.contains($0.name) }
}

if isForFuzzing {
  let names: Set = ["CSQLite", "TidemarkEssentials", "Tidemark", "SQLiteDB"]
  package.products.removeAll { !names.contains($0.name) }
  package.targets.removeAll { !names.contains($0.name) }
  package.targets += [
    .target(
      name: "FuzzTargets", dependencies: ["Tidemark", "SQLiteDB", "CSQLite"], path: "Tests/FuzzTests/Targets"),
    .target(name: "CLibFuzzer", path: "Tests/CLibFuzzer"),
    .executableTarget(name: "Fuzz", dependencies: ["CLibFuzzer", "FuzzTargets"], path: "Tests/Fuzz"),
  ]
}
