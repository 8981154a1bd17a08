import Foundation
import StressSupport

// A node of a cluster that executes random transactions, until it is killed or receives orders on its standard input:
// see `Node.obey`. Orders and replies are numbers of eight bytes.
//
//     ClusterChild MODE FOLDER NODE FIRST-SESSION SEED ENDPOINT...

guard let plan = Plan(Array(CommandLine.arguments.dropFirst())) else {
  let modes = Mode.allCases.map(\.rawValue).joined(separator: "|")
  complain("ClusterChild \(modes) FOLDER NODE FIRST-SESSION SEED ENDPOINT...")
  exit(2)
}
Task.detached {
  do {
    try await Node(plan).run()
    exit(0)
  } catch {
    complain("node \(plan.node): \(error)")
    exit(4)
  }
}
dispatchMain()
