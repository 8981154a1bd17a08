extension ModelOperation {
  /// Applies the operation to a content.
  ///
  /// - Throws: The expected error. The content is unchanged then, except for `UPDATE OR FAIL`.
  func apply(to content: inout ModelContent, foreignKeys: Bool) throws(ModelError) {
    switch self {
    case .createSchema:
      if content.hasSchema { throw .noTable }
      content.hasSchema = true
    case .createBox(let number):
      if content.boxes["box\(number)"] != nil { throw .noTable }
      content.boxes["box\(number)"] = []
    case .dropBox(let number):
      if content.boxes.removeValue(forKey: "box\(number)") == nil { throw .noTable }
    case .renameBox(let old, let new):
      guard let values = content.boxes["box\(old)"], content.boxes["box\(new)"] == nil else { throw .noTable }
      content.boxes["box\(old)"] = nil
      content.boxes["box\(new)"] = values
    case .insertIntoBox(let number, let value):
      guard let values = content.boxes["box\(number)"] else { throw .noTable }
      content.boxes["box\(number)"] = (values + [value]).sorted()
    case .setVersion(let version): content.userVersion = version
    default:
      guard content.hasSchema else { throw .noTable }
      try applyToItems(&content, foreignKeys: foreignKeys)
    }
  }

  private func applyToItems(_ content: inout ModelContent, foreignKeys: Bool) throws(ModelError) {
    switch self {
    case .insertItem(let id, let item, let style):
      try content.insert(id, item, style, foreignKeys: foreignKeys)
    case .updateItem(let id, let item): try content.update(id, item)
    case .saveItem(let id, let item):
      if content.items[id] == nil {
        // The update that finds no row checks nothing.
        try content.insert(id, item, .sql, foreignKeys: foreignKeys)
      } else {
        try content.update(id, item)
      }
    case .changeName(let id, let name):
      guard var item = content.items[id] else { throw .notFound }
      item.name = name
      content.items[id] = item
    case .addScore(let number, let orFail): try content.addScore(number, orFail: orFail)
    case .deleteItem(let id, _): content.delete(id, foreignKeys: foreignKeys)
    case .deleteItems:
      for id in content.items.keys { content.delete(id, foreignKeys: foreignKeys) }
    case .insertPart(let id, let item):
      if content.parts[id] != nil { throw .primaryKey }
      if foreignKeys, content.items[item] == nil { throw .foreignKey }
      content.parts[id] = item
    case .deletePart(let id): content.parts[id] = nil
    case .addExtra:
      if content.extras != nil { throw .noTable }
      content.extras = content.items.mapValues { _ in ModelContent.extraDefault }
    case .dropExtra:
      if content.extras == nil { throw .noTable }
      content.extras = nil
    case .setExtra(let id, let value):
      guard content.extras != nil else { throw .noTable }
      if content.items[id] != nil { content.extras?[id] = value }
    case .createIndex:
      if content.hasIndex { throw .noTable }
      content.hasIndex = true
    case .dropIndex:
      if !content.hasIndex { throw .noTable }
      content.hasIndex = false
    default: throw ModelError("an operation on another table")
    }
  }
}

extension ModelContent {
  /// Checks the constraints that concern one row.
  private func checkRow(_ item: Item) throws(ModelError) {
    if item.name == nil { throw .notNull }
    if let score = item.score, score >= 90 { throw .check }
  }

  private func owner(ofCode code: Int?) -> Int64? {
    code.flatMap { code in items.first { $0.value.code == code }?.key }
  }

  mutating func insert(
    _ id: Int64, _ item: Item, _ style: ModelOperation.Insertion, foreignKeys: Bool
  ) throws(ModelError) {
    if style == .upsert, let present = items[id] != nil ? id : owner(ofCode: item.code) {
      return try update(present, item)
    }
    do throws(ModelError) {
      try checkRow(item)
      if style == .orReplace {
        if items[id] != nil { delete(id, foreignKeys: foreignKeys) }
        if let other = owner(ofCode: item.code) { delete(other, foreignKeys: foreignKeys) }
      }
      if items[id] != nil { throw .primaryKey }
      if owner(ofCode: item.code) != nil { throw .unique }
    } catch {
      if style == .orIgnore { return }
      throw error
    }
    items[id] = item
    if extras != nil { extras?[id] = Self.extraDefault }
  }

  mutating func update(_ id: Int64, _ item: Item) throws(ModelError) {
    if items[id] == nil { throw .notFound }
    try checkRow(item)
    if let other = owner(ofCode: item.code), other != id { throw .unique }
    items[id] = item
  }

  mutating func addScore(_ number: Int, orFail: Bool) throws(ModelError) {
    var changed = items
    for (id, item) in items.sorted(by: { $0.key < $1.key }) {
      guard let score = item.score else { continue }
      if score + number >= 90 {
        if orFail { items = changed }
        throw .check
      }
      changed[id]?.score = score + number
    }
    items = changed
  }

  mutating func delete(_ id: Int64, foreignKeys: Bool) {
    guard items.removeValue(forKey: id) != nil else { return }
    extras?[id] = nil
    if foreignKeys { parts = parts.filter { $0.value != id } }
  }
}
