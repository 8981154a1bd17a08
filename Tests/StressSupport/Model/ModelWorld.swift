import Foundation
import TestSupport
import Tidemark

/// A difference between the library and its model.
package struct ModelDifference: Error, CustomStringConvertible {
  package var description: String
}

/// A database file, or a database in memory, and the model of its content.
final class ModelFile {
  /// The path of the file; nil in memory.
  let path: String?

  /// All committed contents, in order.
  private(set) var versions = [ModelContent()]
  var exists = false

  /// Whether it was opened for writing, which makes it use the write-ahead log.
  var isWAL = false

  /// Whether an opening has failed that may have made it a WAL file.
  var mayBeWAL = false

  init(path: String?) { self.path = path }

  var content: ModelContent { versions[versions.count - 1] }

  func commit(_ contents: [ModelContent]) {
    for content in contents where content != self.content { versions.append(content) }
  }

  /// Deletes the file.
  func delete() {
    guard let path else { return }
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
  }

  /// Begins with a content that was copied from another file.
  func adopt(_ content: ModelContent) {
    versions = [content]
    (exists, isWAL) = (true, true)
  }
}

/// How a database is opened.
struct ModelConfiguration {
  var isPool = false
  var isReadonly = false
  var foreignKeys = true
  var groupsWrites = false
  var hasFeed = false
  var observes = false
  var isSuspendable = false

  init(_ random: inout RandomNumbers) {
    isPool = random.once(in: 2)
    isReadonly = random.once(in: 10)
    foreignKeys = !random.once(in: 4)
    groupsWrites = random.once(in: 4)
    hasFeed = random.once(in: 6) && !isReadonly
    observes = random.once(in: 2)
    isSuspendable = random.once(in: 4)
  }

  var text: String {
    let flags = [
      ("readonly", isReadonly), ("noForeignKeys", !foreignKeys), ("groupsWrites", groupsWrites), ("feed", hasFeed),
      ("observer", observes), ("suspendable", isSuspendable),
    ]
    return ([isPool ? "pool" : "queue"] + flags.filter(\.1).map(\.0)).joined(separator: " ")
  }

  func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadonly
    configuration.foreignKeysEnabled = foreignKeys
    configuration.groupsWrites = groupsWrites
    configuration.label = text
    configuration.busyMode = .timeout(WaitLimit.seconds)
    configuration.observesSuspensionNotifications = isSuspendable
    configuration.journalMode = .wal
    configuration.maximumReaderCount = isPool ? 3 : 1
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 50") }
    return configuration
  }
}

/// An open or closed queue or pool, and its state in the model.
final class ModelDatabase {
  let writer: any DatabaseWriter
  let file: ModelFile
  let settings: ModelConfiguration
  var isClosed = false
  var isSuspended = false

  /// A statement that the program retains.
  var statement: ModelStatement?
  var recorder: ModelEventRecorder?
  var history: ModelHistory?

  init(_ writer: any DatabaseWriter, _ file: ModelFile, _ settings: ModelConfiguration) {
    (self.writer, self.file, self.settings) = (writer, file, settings)
  }

  var pool: DatabasePool? { writer as? DatabasePool }

  /// The error of each statement.
  var error: ModelError? { isClosed ? .closed : nil }

  /// The error of each statement that writes.
  var writeError: ModelError? {
    if settings.isReadonly { return .readonly }
    return isSuspended ? .aborted : nil
  }

  func simulation(_ mode: ModelSimulation.Mode, _ fault: ModelFault?) -> ModelSimulation {
    ModelSimulation(
      file.content, mode, foreignKeys: settings.foreignKeys, writeError: writeError, error: error, fault: fault)
  }
}

/// A statement that lives longer than an access. It is used in accesses only.
final class ModelStatement: @unchecked Sendable {
  // Accesses use it one at a time, and the thread of the commands waits for them.
  let statement: Statement

  init(_ statement: Statement) { self.statement = statement }
}

/// The files, databases and observations of a sequence.
final class ModelWorld {
  let folder: TestFolder
  var databases: [ModelDatabase?] = [nil, nil, nil]
  var files: [ModelFile]
  var snapshots: [ModelSnapshot?] = [nil, nil]
  var observations: [ModelObservation?] = [nil, nil, nil]
  var stream: ModelStream?
  let fault: ModelFault?

  /// How long a missing value is awaited.
  let patience: Duration

  /// The executed commands and their results, as a script.
  private(set) var script: [String] = []
  private(set) var counts = ModelCounts()

  /// Called with the contents that a write is going to commit.
  var willCommit: (([ModelContent]) -> Void)?

  /// Called with each call before it is executed: a crash leaves no other trace.
  var onCall: ((String) -> Void)?

  /// The name of the current command.
  var command = ""

  init(fault: ModelFault?, patience: Duration) throws {
    folder = try TestFolder()
    files = [ModelFile(path: folder.path("a.sqlite")), ModelFile(path: folder.path("b.sqlite"))]
    (self.fault, self.patience) = (fault, patience)
  }

  /// Executes a call, and compares its result with the expected one.
  func check(_ call: @autoclosure () -> String, _ expected: String, _ actual: () throws -> String) throws {
    script.append(call())
    onCall?(script[script.count - 1])
    ModelWatchdog.shared.begin(self)
    let result = outcome(actual)
    ModelWatchdog.shared.end(self)
    let label = result.prefix(while: { $0 != "[" && $0 != "/" }).dropFirst(7)
    counts.add(command, result.hasPrefix("throws ") ? label.trimmingCharacters(in: .whitespaces) : "ok")
    script[script.count - 1] += " → \(result)"
    if result != expected {
      throw ModelDifference(description: "the model expects: \(expected)\nbut the result is: \(result)")
    }
  }

  /// Notes that running statements of a database were interrupted.
  func didInterrupt(_ database: ModelDatabase) {
    for observation in observations where observation?.database === database { observation?.mayBeInterrupted = true }
    if stream?.database === database { stream?.mayBeInterrupted = true }
  }

  func fail(_ text: String) throws -> Never { throw ModelDifference(description: text) }

  /// Counts what the results of calls do not show.
  func count(_ detail: String) { counts.add(command, "(\(detail))") }

  /// Adds a line to the script for a call without a result.
  func note(_ call: String) { script.append(call) }

  /// The databases that are open on a file.
  func users(of file: ModelFile) -> [ModelDatabase] {
    databases.compactMap { $0 }.filter { $0.file === file && !$0.isClosed }
  }

  /// Whether anything of the program has a file open.
  func isInUse(_ file: ModelFile) -> Bool {
    !users(of: file).isEmpty || snapshots.contains { $0?.file === file && $0?.isClosed == false }
      || databases.contains { $0?.file === file && $0?.statement != nil }
  }

  /// Closes everything at the end.
  func close() throws {
    for observation in observations { observation?.cancel() }
    observations = []
    stream?.cancel()
    stream = nil
    for snapshot in snapshots { try snapshot?.close() }
    for database in databases.compactMap({ $0 }) {
      database.statement = nil
      try database.writer.close()
    }
    databases = []
    var open = folder.openFiles
    if open.isEmpty { return }
    // If another thread releases a statement late, SQLite closes its connection then.
    counts.add("Close", "files are open for a moment")
    let end = ContinuousClock.now + patience
    while !open.isEmpty, ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.005)
      open = folder.openFiles
    }
    if !open.isEmpty { try fail("after everything was closed, files are open: \(open)") }
  }
}

/// How often each command had each outcome.
package struct ModelCounts: Sendable {
  package private(set) var numbers: [String: Int] = [:]

  package init() {}

  package mutating func add(_ command: String, _ outcome: String, _ number: Int = 1) {
    numbers["\(command): \(outcome)", default: 0] += number
  }

  package mutating func add(_ other: ModelCounts) { numbers.merge(other.numbers, uniquingKeysWith: +) }

  package mutating func add(line: String, _ number: Int) { numbers[line, default: 0] += number }

  /// The number of executed calls.
  package var total: Int { numbers.filter { !$0.key.hasSuffix(")") }.values.reduce(0, +) }

  package var table: String {
    numbers.sorted { $0.key < $1.key }.map { "  \($0.key) \($0.value)" }.joined(separator: "\n")
  }
}
