import StressSupport
import Testing

/// Real servers and nodes, each of them a process, with all faults: see `ClusterFault`.
///
/// A run of the tests has one history, and `make stress` one hundred. The network is split if this process may create
/// network namespaces.
@Suite(
  .serialized, .enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)),
  .enabled(if: Child.isBuilt("ClusterChild")))
struct ClusterProcessTests {
  @Test(arguments: Scale.seeds(daily: 1, full: 100))
  func acknowledgedWritesAreOnAllNodesOnceAndInARealOrder(seed: UInt64) async throws {
    let run = Run("cluster-processes", seed: seed, limit: 600)
    let cluster = try await ClusterProcessRun(run)
    try await cluster.perform(cluster.randomFaults(count: Scale.of(daily: 2, full: 5)))
    try cluster.check()
    run.finish()
  }

  /// A control: nodes that report writes as committed before they begin, or old reads as the latest ones.
  @Test(arguments: ["early", "stale"]) func nodesThatReportTooMuchAreFound(mode: String) async throws {
    let run = Run("planted-\(mode)", seed: Scale.seed, limit: 600)
    let cluster = try await ClusterProcessRun(run, mode: mode)
    try await cluster.perform([.killedNode(0), .stoppedNode(1)])
    try cluster.check()
    run.finishControl(planted: "a node that reports too much")
  }
}
