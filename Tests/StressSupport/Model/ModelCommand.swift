// A model of the public interface.
//
// A sequence of commands is executed with the library and with the model, and each result is compared.
//
// The state of the model:
//
// - `ModelFile`: a database file, or a database in memory. Its content is a value (`ModelContent`): the rows of each
//   table, and the schema as far as it changes. All committed contents are kept, in order.
// - `ModelDatabase`: a queue or pool. It is open, suspended or closed. Its settings say whether it is read-only,
//   enforces foreign keys, groups writes, has the change feed, and has a transaction observer. Up to three are open at
//   once, also on the same file.
// - `ModelSnapshot`: the content that it must show for as long as it exists.
// - `ModelObservation`: its query, and the version of the file at its start. It must deliver results of versions in
//   their order, and the result of the last version at last. It may only fail if the query fails in one of them.
// - `ModelHistory`: the steps that can be undone and redone, as row changes.
// - `ModelReplica`: the content that the transactions of a change stream lead to.
// - `ModelStatement`: a statement that is retained, and prevents its queue from being closed.
//
// The result of an access follows from the state: `ModelSimulation` executes the same steps (`ModelStep`) on the
// content. It knows the result of each query, and the error of each statement: constraints, missing tables, read-only
// and closed databases, suspension, cancellation, and transactions that were rolled back by SQLite. The results of all
// steps are compared, including errors that the closure catches.
//
// Sequences are executed in a child process (`StressChild model`), so that `ModelHarness` survives crashes and hangs.
// All failures are reduced by leaving out commands, and printed as a script of calls with their results. In the mode
// `tasks`, several threads execute commands on one database: see `ModelTasks`.

/// A call of the public interface, or several calls that belong together.
///
/// A command is made of random numbers alone, before the sequence is executed: so a sequence without some of its
/// commands is a valid sequence, too. In a state in which a command is impossible, it does nothing.
protocol ModelCommand {
  init(_ random: inout RandomNumbers)

  /// Executes the calls, and updates the model.
  ///
  /// - Returns: False if the command is impossible in this state.
  /// - Throws: A ``ModelDifference``.
  func execute(in world: ModelWorld) throws -> Bool
}

/// The commands, with their frequencies.
enum ModelCommands {
  private static var all: [(type: any ModelCommand.Type, weight: Int)] {
    [
      (ModelOpen.self, 8), (ModelClose.self, 3), (ModelWrite.self, 34), (ModelRead.self, 20),
      (ModelUseSnapshot.self, 8),
      (ModelObserve.self, 14), (ModelUndo.self, 7), (ModelMaintain.self, 12), (ModelBackup.self, 3),
      (ModelReplaceFile.self, 2), (ModelRetain.self, 4), (ModelSuspend.self, 2), (ModelFollow.self, 6),
      (ModelRecord.self, 3), (ModelWait.self, 4),
    ]
  }

  private static let total = all.map(\.weight).reduce(0, +)

  /// Makes a command of a sequence. It does not depend on the others.
  static func make(seed: UInt64, number: Int) -> any ModelCommand {
    var random = RandomNumbers(seed: seed, stream: number + 1)
    // Most commands need an open database.
    if number < 3 { return ModelOpen(&random) }
    var position = random.below(total)
    for (type, weight) in all {
      if position < weight { return type.init(&random) }
      position -= weight
    }
    fatalError("the weights do not match")
  }
}

/// A sequence of commands. The seed determines all commands, and the numbers select some of them.
package struct ModelScript: Sendable {
  package var seed: UInt64
  package var numbers: [Int]

  package init(seed: UInt64, numbers: [Int]) { (self.seed, self.numbers) = (seed, numbers) }

  /// The script as an argument of a program.
  package init?(_ text: String) {
    let words = text.split(separator: ":")
    guard words.count == 2, let seed = UInt64(words[0]) else { return nil }
    self.init(seed: seed, numbers: words[1].split(separator: ",").compactMap { Int($0) })
  }

  package var text: String { "\(seed):\(numbers.map(String.init).joined(separator: ","))" }
}

/// The result of a sequence.
package struct ModelResult: Sendable {
  /// The executed commands; empty without a difference.
  package var script: [String]
  package var difference: String?
  package var counts: ModelCounts

  package var text: String { (script + [difference ?? "no difference"]).joined(separator: "\n") }
}

extension ModelScript {
  /// Executes the commands, and compares the library with the model.
  package func run(
    fault: ModelFault? = nil, patience: Duration, onCall: ((String) -> Void)? = nil
  ) throws -> ModelResult {
    let world = try ModelWorld(fault: fault, patience: patience)
    world.onCall = onCall
    do {
      for number in numbers {
        let command = ModelCommands.make(seed: seed, number: number)
        world.command = "\(type(of: command))".replacing("Model", with: "")
        if try !command.execute(in: world) { world.count("skipped") }
      }
      world.command = "end"
      ModelWatchdog.shared.begin(world)
      try world.close()
      ModelWatchdog.shared.end(world)
    } catch {
      ModelWatchdog.shared.end(world)
      return ModelResult(script: world.script, difference: "\(error)", counts: world.counts)
    }
    return ModelResult(script: [], difference: nil, counts: world.counts)
  }
}

extension ModelCounts {
  /// The outcomes that sequences must have, each at least once in a run of full size.
  static let required: [String] = {
    var all: [String] = []
    func add(_ command: String, _ outcomes: String) {
      all += outcomes.split(separator: ",").map { "\(command): \($0)" }
    }
    add("Open", "ok,CANTOPEN,thrown")
    add("Close", "ok,BUSY")
    add(
      "Write",
      "ok,ABORT,CHECK,ERROR,FOREIGNKEY,MISUSE,NOTNULL,PRIMARYKEY,READONLY,UNIQUE,cancelled,recordNotFound,thrown")
    ModelWrite.Style.allCases.forEach { if $0 != .cancelledBefore { add("Write", "(\($0.rawValue) ok)") } }
    add("Read", "ok,ABORT,ERROR,MISUSE,READONLY,cancelled,recordNotFound")
    ModelRead.Style.allCases.forEach { if $0 != .cancelledBefore { add("Read", "(\($0.rawValue) ok)") } }
    add(
      "UseSnapshot", "ok,ABORT,ERROR,MISUSE,READONLY,(makeSnapshot()),(makeSnapshotPool()),(DatabaseSnapshotPool(db))")
    add("Observe", "ok,(value),(cancelled),(ended with ERROR),(ended with INTERRUPT)")
    ModelObserve.Kind.allCases.forEach { add("Observe", "(start \($0.rawValue))") }
    add(
      "Undo", "ok,ABORT,CHECK,ERROR,FOREIGNKEY,MISUSE,NOTNULL,PRIMARYKEY,UNIQUE,changesetError,conflict,recordNotFound")
    add("Undo", "thrown,(no step),(record),(undo),(redo),(removeAll),(undo conflict),(redo conflict)")
    add("Record", "ok,CHECK,ERROR,FOREIGNKEY,NOTNULL,PRIMARYKEY,UNIQUE,changesetError,recordNotFound,thrown")
    add("Maintain", "ok,ABORT,MISUSE,READONLY,(passive),(full),(restart),(truncate),(vacuum),(erase),(integrity)")
    add("Maintain", "(releaseMemory),(interrupt),(invalidate)")
    add("Attach", "ok")
    add("VacuumInto", "ok")
    add("InMemoryCopy", "ok")
    add("Backup", "ok,MISUSE,READONLY,thrown")
    add("Follow", "ok,(complete),(cancelled)")
    add("Retain", "ok,ERROR,MISUSE,(made),(used),(released)")
    add("Suspend", "ok,(suspended),(resumed)")
    add("ReplaceFile", "(copy),(delete)")
    add("BlockedWrite", "ok,(timeLimit),(cancellation)")
    add("Endless", "INTERRUPT,cancelled")
    return all
  }()

  /// The required outcomes that have not occurred.
  package var missing: [String] { Self.required.filter { numbers[$0] == nil } }
}

extension RandomNumbers {
  /// The number of a database. Some are used more often, so that commands build on each other.
  mutating func slot() -> Int { once(in: 2) ? 0 : below(3) }
}
