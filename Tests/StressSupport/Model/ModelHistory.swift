import Tidemark

/// An undo history, and the steps that it must contain.
final class ModelHistory {
  /// The changed rows of a step: their values before and after it.
  struct Step {
    var items: [Int64: (old: ModelContent.Item?, new: ModelContent.Item?)] = [:]
    var extras: [Int64: (old: Int?, new: Int?)]?
    var parts: [Int64: (old: Int64?, new: Int64?)] = [:]
    var boxes: Set<String> = []
    var version: (old: Int, new: Int)?

    init(from old: ModelContent, to new: ModelContent) {
      for id in Set(old.items.keys).union(new.items.keys)
      where old.items[id] != new.items[id] || old.extras?[id] != new.extras?[id] {
        items[id] = (old.items[id], new.items[id])
      }
      if let olds = old.extras, let news = new.extras {
        extras = Dictionary(uniqueKeysWithValues: items.keys.map { ($0, (olds[$0], news[$0])) })
      }
      for id in Set(old.parts.keys).union(new.parts.keys) where old.parts[id] != new.parts[id] {
        parts[id] = (old.parts[id], new.parts[id])
      }
      boxes = Set(new.boxes.keys.filter { new.boxes[$0] != old.boxes[$0] })
      if old.userVersion != new.userVersion { version = (old.userVersion, new.userVersion) }
    }

    var isEmpty: Bool { items.isEmpty && parts.isEmpty && boxes.isEmpty && version == nil }

    /// The step that undoes this one.
    var inverted: Step {
      var step = self
      step.items = items.mapValues { ($0.new, $0.old) }
      step.extras = extras?.mapValues { ($0.new, $0.old) }
      step.parts = parts.mapValues { ($0.new, $0.old) }
      step.version = version.map { ($0.new, $0.old) }
      return step
    }
  }

  let history: ChangeHistory
  var undoable: [Step] = []
  var redoable: [Step] = []

  init(_ writer: any DatabaseWriter) { history = ChangeHistory(writer) }
}

extension ModelHistory.Step {
  /// Applies the step to a content.
  ///
  /// - Throws: The error of a conflict.
  func apply(to content: inout ModelContent, foreignKeys: Bool) throws(ModelError) {
    if !items.isEmpty || !parts.isEmpty, !content.hasSchema { throw ModelError("changesetError") }
    if !items.isEmpty, extras != nil, content.extras == nil { throw ModelError("changesetError") }
    for (id, change) in items {
      guard content.items[id] == change.old else { throw .conflict }
      if let extras, change.old != nil, content.extras?[id] != extras[id]?.old { throw .conflict }
      content.items[id] = change.new
      if let present = content.extras {
        let restored = change.old == nil ? ModelContent.extraDefault : present[id]
        content.extras?[id] = change.new == nil ? nil : extras?[id]?.new ?? restored
      }
    }
    for (id, change) in parts {
      guard content.parts[id] == change.old else { throw .conflict }
      content.parts[id] = change.new
    }
    let codes = content.items.values.compactMap(\.code)
    if Set(codes).count != codes.count { throw .conflict }
    if foreignKeys { try checkForeignKeys(content) }
    if let version { content.userVersion = version.new }
  }

  private func checkForeignKeys(_ content: ModelContent) throws(ModelError) {
    // Only changed rows are checked: others may violate foreign keys already.
    for (id, _) in parts {
      if let item = content.parts[id], content.items[item] == nil { throw .conflict }
    }
    for (id, change) in items where change.new == nil && change.old != nil {
      if content.parts.values.contains(id) { throw .conflict }
    }
  }
}

/// Records, undoes and redoes steps.
struct ModelUndo: ModelCommand {
  private enum Action: String { case record, undo, redo, removeAll }

  private let slot: Int
  private let action: Action
  private let steps: [ModelStep]

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    action = [.record, .record, .record, .undo, .undo, .redo, .redo, .removeAll][random.below(8)]
    steps = ModelStep.list(&random, depth: 1)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot], !database.settings.isReadonly else { return false }
    let history = database.history ?? ModelHistory(database.writer)
    database.history = history
    let before = database.file.content
    // The rows of additional tables have no identity, and other steps may be in the way.
    if action == .record, steps.contains(where: \.changesBox) { return false }
    var content = before
    var result = action.rawValue
    var log = ""
    do throws(ModelError) {
      if let error = database.error ?? database.writeError { throw error }
      switch action {
      case .record:
        var simulation = database.simulation(.autocommit, world.fault)
        defer { log = simulation.log }
        try simulation.transaction(steps, .commit, abortError: ModelError("changesetError"))
        content = simulation.content
        if steps.contains(where: \.changesSchema), content.isOtherSchema(than: before) {
          throw ModelError("changesetError")
        }
        let step = ModelHistory.Step(from: before, to: content)
        if !step.isEmpty {
          history.undoable.append(step)
          history.redoable = []
        }
      case .undo:
        guard let step = history.undoable.last else { result = "no step"; break }
        try step.inverted.apply(to: &content, foreignKeys: database.settings.foreignKeys)
        history.undoable.removeLast()
        history.redoable.append(step)
      case .redo:
        guard let step = history.redoable.last else { result = "no step"; break }
        try step.apply(to: &content, foreignKeys: database.settings.foreignKeys)
        history.redoable.removeLast()
        history.undoable.append(step)
      case .removeAll: (history.undoable, history.redoable) = ([], [])
      }
    } catch {
      content = before
      result = "throws \(error.label)"
    }
    let text = action == .record ? " { \(ModelStep.text(steps)) }" : ""
    try world.check("history\(slot).\(action.rawValue)\(text)", "\(result) [\(log)]") {
      let log = ModelLog()
      let result = outcome { try call(history.history, log) }
      return "\(result) [\(log.text)]"
    }
    world.count(result.hasPrefix("throws ") ? "\(action.rawValue) \(result.dropFirst(7))" : result)
    if content != before { database.file.commit([content]) }
    try database.recorder?.check(before, content, world)
    let canUndo = history.history.canUndo
    if canUndo == history.undoable.isEmpty { try world.fail("canUndo is \(canUndo)") }
    return true
  }

  private func call(_ history: ChangeHistory, _ log: ModelLog) throws -> String {
    switch action {
    case .record: try history.record(named: "step") { try ModelPerformer(db: $0, log: log).run(steps) }
    case .undo: if try !history.undo() { return "no step" }
    case .redo: if try !history.redo() { return "no step" }
    case .removeAll: try history.removeAll()
    }
    return action.rawValue
  }
}

extension ModelContent {
  func isOtherSchema(than other: ModelContent) -> Bool {
    hasSchema != other.hasSchema || hasIndex != other.hasIndex || (extras == nil) != (other.extras == nil)
      || Set(boxes.keys) != Set(other.boxes.keys)
  }
}

extension ModelStep {
  fileprivate func contains(_ condition: (ModelOperation) -> Bool) -> Bool {
    switch self {
    case .perform(let operation, _): condition(operation)
    case .nest(_, let steps, _, _): steps.contains { $0.contains(condition) }
    case .query, .cancelTask: false
    }
  }

  fileprivate var changesSchema: Bool { contains(\.changesSchema) }

  fileprivate var changesBox: Bool {
    contains { operation in
      switch operation {
      case .insertIntoBox, .createBox, .dropBox, .renameBox, .createSchema, .addExtra, .dropExtra, .createIndex,
        .dropIndex:
        true
      default: false
      }
    }
  }
}
