import Foundation
import TestSupport
import Tidemark

/// Several threads that use one database at the same time. Each one has rows of its own, whose content it knows. It
/// also reads the rows of the others, which must be in a state that their owner has committed, in order.
final class ModelTasks: Sendable {
  static let count = 3

  /// The states of the rows of one thread.
  struct Versions: Sendable {
    /// All states. The last one may not be committed yet.
    var all = [ModelContent.owned]

    /// The number of the last state that is known to be committed.
    var committed = 0
  }

  private let versions = Mutex([Versions](repeating: Versions(), count: count))
  private let failure = Mutex<ModelResult?>(nil)
  private let counts = Mutex(ModelCounts())

  func begin(_ task: Int, _ contents: [ModelContent]) { versions.withLock { $0[task].all += contents } }

  /// Removes the states that were not committed, and marks the others as committed.
  func end(_ task: Int, _ content: ModelContent) {
    versions.withLock { $0[task].committed = $0[task].all.count - 1 }
  }

  func snapshot() -> [Versions] { versions.withLock { $0 } }

  var isFailed: Bool { failure.withLock { $0 != nil } }

  func fail(_ world: ModelWorld, _ error: any Error) {
    failure.withLock { failure in
      if failure == nil {
        failure = ModelResult(script: world.script, difference: "\(error)", counts: world.counts)
      }
    }
  }

  func finish(_ world: ModelWorld) { counts.withLock { $0.add(world.counts) } }

  var result: ModelResult {
    failure.withLock { $0 } ?? ModelResult(script: [], difference: nil, counts: counts.withLock { $0 })
  }
}

extension ModelContent {
  /// The initial content of the rows of a thread.
  fileprivate static var owned: ModelContent {
    var content = ModelContent()
    content.hasSchema = true
    return content
  }

  /// The rows of each thread.
  fileprivate static func owned(_ db: Database) throws -> [ModelContent] {
    var contents = [ModelContent](repeating: owned, count: ModelTasks.count)
    for item in try ModelItem.fetchAll(db) {
      guard let id = item.id else { continue }
      contents[Int(id / 10)].items[id] = Item(name: item.name, score: item.score, code: item.code)
    }
    for row in try Row.fetchAll(db, sql: "SELECT id, itemId FROM part") {
      let id: Int64 = row[0]
      contents[Int(id / 10)].parts[id] = row[1]
    }
    for task in 0..<ModelTasks.count where try db.tableExists("box\(task)") {
      contents[task].boxes["box\(task)"] = try Int.fetchAll(db, sql: "SELECT n FROM box\(task) ORDER BY n")
    }
    return contents
  }
}

extension ModelScript {
  /// Executes the commands in several threads.
  package func runTasks(patience: Duration) throws -> ModelResult {
    var random = RandomNumbers(seed: seed)
    var settings = ModelConfiguration(&random)
    settings.isReadonly = false
    settings.observes = false
    let used = settings
    let folder = try TestFolder()
    let databases = try open(settings, folder, sharesAll: random.once(in: 2))
    let tasks = ModelTasks()
    let observer = ModelTasksObserver()
    let observation = ValueObservation.tracking { try ModelContent.owned($0) }
      .start(
        in: databases[0], scheduling: .async(onQueue: DispatchQueue(label: "model")),
        onError: { observer.fail($0) }, onChange: { observer.add($0, tasks.snapshot()) })
    let group = DispatchGroup()
    for task in 0..<ModelTasks.count {
      let work = { @Sendable in
        do {
          try run(task, databases[task], used, tasks)
        } catch {
          // A failure of the harness itself.
          fatalError("\(error)")
        }
        group.leave()
      }
      group.enter()
      Thread.detachNewThread(work)
    }
    group.wait()
    let world = try ModelWorld(fault: nil, patience: patience)
    do {
      if !tasks.isFailed { try observer.check(tasks.snapshot().map { $0.all[$0.committed] }, patience, world) }
      observation.cancel()
      for database in databases { try database.close() }
      if !folder.openFiles.isEmpty { try world.fail("after everything was closed, files are open") }
    } catch {
      tasks.fail(world, error)
    }
    return tasks.result
  }

  private func open(
    _ settings: ModelConfiguration, _ folder: TestFolder, sharesAll: Bool
  ) throws -> [any DatabaseWriter] {
    func open() throws -> any DatabaseWriter {
      let configuration = settings.configuration()
      return settings.isPool
        ? try DatabasePool(path: folder.database, configuration: configuration)
        : try DatabaseQueue(path: folder.database, configuration: configuration)
    }
    let first = try open()
    try first.write { try $0.execute(sql: ModelContent.schemaSQL) }
    return [first, first, sharesAll ? first : try open()]
  }

  /// Executes the commands of one thread.
  private func run(
    _ task: Int, _ writer: any DatabaseWriter, _ settings: ModelConfiguration, _ tasks: ModelTasks
  ) throws {
    let world = try ModelWorld(fault: nil, patience: .seconds(1))
    let file = ModelFile(path: nil)
    file.commit([.owned])
    let database = ModelDatabase(writer, file, settings)
    world.databases[0] = database
    world.willCommit = { tasks.begin(task, $0) }
    do {
      for number in numbers where number % ModelTasks.count == task && !tasks.isFailed {
        var random = RandomNumbers(seed: seed, stream: number + 1)
        world.command = "Tasks"
        switch random.below(4) {
        case 0..<2:
          let style = ModelWrite.Style.allCases.randomElement(using: &random) ?? .async
          let steps = ModelStep.list(&random).compactMap { $0.owned(by: task) }
          try ModelWrite(slot: 0, style, steps).execute(in: world)
          tasks.end(task, file.content)
        case 2:
          let style = ModelRead.Style.allCases.randomElement(using: &random) ?? .async
          _ = try ModelRead(slot: 0, style, [.query(ModelQuery(&random).owned(by: task), isCaught: true)])
            .execute(in: world)
        default: try readAll(task, writer, tasks, world)
        }
      }
    } catch {
      tasks.fail(world, error)
    }
    tasks.finish(world)
    world.databases[0] = nil
  }

  /// Reads the rows of all threads, and compares them with the states that they may have.
  private func readAll(_ task: Int, _ writer: any DatabaseWriter, _ tasks: ModelTasks, _ world: ModelWorld) throws {
    let before = tasks.snapshot()
    var contents: [ModelContent] = []
    try world.check("read all rows", "ok") {
      contents = try writer.read { try ModelContent.owned($0) }
      return "ok"
    }
    let after = tasks.snapshot()
    for (number, content) in contents.enumerated() {
      let possible = after[number].all[before[number].committed...]
      if !possible.contains(content) {
        try world.fail("a read has returned \(content.dump), and not one of \(possible.map(\.dump))")
      }
    }
  }
}

/// Checks the values of an observation of all rows.
final class ModelTasksObserver: Sendable {
  private struct State {
    var positions = [Int](repeating: 0, count: ModelTasks.count)
    var last: [ModelContent] = []
    var problem: String?
  }

  private let state = Mutex(State())

  func fail(_ error: any Error) { state.withLock { $0.problem = "the observation has ended with \(error)" } }

  func add(_ contents: [ModelContent], _ versions: [ModelTasks.Versions]) {
    state.withLock { state in
      state.last = contents
      for task in 0..<ModelTasks.count {
        let all = versions[task].all
        guard let next = all[state.positions[task]...].firstIndex(of: contents[task]) else {
          state.problem =
            "the observation has delivered \(contents[task].dump), after version \(state.positions[task]) of "
            + "\(all.map(\.dump))"
          return
        }
        state.positions[task] = next
      }
    }
  }

  func check(_ expected: [ModelContent], _ patience: Duration, _ world: ModelWorld) throws {
    let end = ContinuousClock.now + patience
    while true {
      let (last, problem) = state.withLock { ($0.last, $0.problem) }
      if let problem { try world.fail(problem) }
      if last == expected { return }
      if ContinuousClock.now > end {
        try world.fail("the last observed value is \(last.map(\.dump)), and not \(expected.map(\.dump))")
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }
}

extension ModelQuery {
  fileprivate func owned(by task: Int) -> ModelQuery {
    if case .item(let id) = self { .item(id + Int64(10 * task)) } else { .box(task) }
  }
}

extension ModelStep {
  /// The step with the rows of one thread; nil if it concerns other rows, too.
  fileprivate func owned(by task: Int) -> ModelStep? {
    switch self {
    case .perform(let operation, let isCaught): operation.owned(by: task).map { .perform($0, isCaught: isCaught) }
    case .query(let query, let isCaught): .query(query.owned(by: task), isCaught: isCaught)
    case .nest(let nesting, let steps, let ending, let isCaught):
      // A transaction that reads first and then writes cannot wait for another connection.
      .nest(
        nesting == .recording ? .recording : .inSavepoint, steps.compactMap { $0.owned(by: task) }, ending,
        isCaught: isCaught)
    case .cancelTask: self
    }
  }
}

extension ModelOperation {
  fileprivate func owned(by task: Int) -> ModelOperation? {
    let offset = Int64(10 * task)
    func owned(_ item: ModelContent.Item) -> ModelContent.Item {
      var item = item
      item.code = item.code.map { $0 + 10 * task }
      return item
    }
    switch self {
    case .insertItem(let id, let item, let style): return .insertItem(id + offset, owned(item), style)
    case .updateItem(let id, let item): return .updateItem(id + offset, owned(item))
    case .saveItem(let id, let item): return .saveItem(id + offset, owned(item))
    case .changeName(let id, let name): return .changeName(id + offset, name)
    case .deleteItem(let id, let asRecord): return .deleteItem(id + offset, asRecord: asRecord)
    case .insertPart(let id, let item): return .insertPart(id + offset, item: item + offset)
    case .deletePart(let id): return .deletePart(id + offset)
    case .createBox: return .createBox(task)
    case .dropBox: return .dropBox(task)
    case .insertIntoBox(_, let value): return .insertIntoBox(task, value)
    default: return nil
    }
  }
}
