import Foundation
import Tidemark

/// The command `Demo`: the demo market.
struct WorldCommand {
  let options: WorldOptions

  init(_ options: WorldOptions) {
    self.options = options
  }

  func run() throws {
    let world = try World(writerCount: options.writerCount)
    defer { world.close() }
    let dashboard = Dashboard(title: "Tidemark · a night market", panes: WorldPanes.all, world: world.shown)
    let session = try Session(dashboard, world.database, world: world, interval: .milliseconds(30))
    if Demo.hasScreen, !options.isPlain {
      try session.run()
    } else {
      try Demo.printLine(session.runForOneScreen(commitCount: 300, width: 120, height: 32))
    }
  }
}
