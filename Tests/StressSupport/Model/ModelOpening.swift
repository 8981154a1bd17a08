import Foundation
import Tidemark

/// Opens a database in a free slot, beside other databases on the same file.
struct ModelOpen: ModelCommand {
  private let slot: Int
  private let fileNumber: Int
  private let settings: ModelConfiguration
  private let createsSchema: Bool
  private let fails: Bool

  init(_ random: inout RandomNumbers) {
    slot = random.below(3)
    fileNumber = random.below(3)
    settings = ModelConfiguration(&random)
    createsSchema = !random.once(in: 10)
    fails = random.once(in: 15)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard world.databases[slot]?.isClosed ?? true else { return false }
    let file = fileNumber < 2 ? world.files[fileNumber] : ModelFile(path: nil)
    var settings = settings
    if file.path == nil {
      (settings.isPool, settings.isReadonly, settings.hasFeed) = (false, false, false)
    }
    if world.databases[slot]?.statement != nil { return false }
    for index in world.observations.indices where world.observations[index]?.database === world.databases[slot] {
      world.observations[index] = nil
    }
    world.databases[slot] = nil
    var configuration = settings.configuration()
    if file.path == nil { configuration.journalMode = .default }
    if fails { configuration.prepareDatabase { _ in throw ModelError.thrown } }
    let expected =
      settings.isReadonly && !file.exists ? "throws CANTOPEN" : fails ? "throws thrown" : "opened"
    var writer: (any DatabaseWriter)?
    let place = file.path == nil ? "memory" : "file\(fileNumber)"
    try world.check(
      "db\(slot) = \(settings.text)\(fails ? " with a failing preparation" : "") on \(place)",
      expected
    ) {
      writer = try open(file, settings, configuration)
      return "opened"
    }
    if !(settings.isReadonly && !file.exists) { file.exists = true }
    if !settings.isReadonly { file.mayBeWAL = true }
    guard let writer else { return true }
    if !settings.isReadonly { file.isWAL = true }
    let database = ModelDatabase(writer, file, settings)
    if settings.observes, !settings.isReadonly { database.recorder = ModelEventRecorder(writer) }
    world.databases[slot] = database
    if createsSchema, !file.content.hasSchema, !settings.isReadonly {
      try ModelWrite(slot: slot, .sync, [.perform(.createSchema, isCaught: false)]).execute(in: world)
    }
    return true
  }

  private func open(
    _ file: ModelFile, _ settings: ModelConfiguration, _ configuration: Configuration
  ) throws -> any DatabaseWriter {
    guard let path = file.path else { return try DatabaseQueue(configuration: configuration) }
    if settings.isPool { return try DatabasePool(path: path, configuration: configuration) }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}

/// Closes a database, also twice, and with a retained statement.
struct ModelClose: ModelCommand {
  private let slot: Int

  init(_ random: inout RandomNumbers) { slot = random.below(3) }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot] else { return false }
    let isRetained = database.statement != nil && !database.isClosed
    try world.check("db\(slot).close()", isRetained ? "throws BUSY" : "closed") {
      try database.writer.close()
      return "closed"
    }
    if !isRetained || database.settings.isPool { database.isClosed = true }
    return true
  }
}
