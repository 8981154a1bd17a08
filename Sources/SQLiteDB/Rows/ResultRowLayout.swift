/// The mapping from expressions to the columns of a row.
///
/// Invariants:
/// 1. A selected expression is identified by its SQL and its arguments. Expressions that differ in either are different
///    columns.
/// 2. Otherwise, a column is identified by its name, with or without the name of its table.
/// 3. If several columns match, the lookup throws an error.
final class ResultRowLayout: Sendable {
  /// The key of each column: the SQL of the expression, or the quoted name. With joins, the name is qualified.
  let keys: [String]

  /// The arguments in the SQL of each column; empty if no column has any.
  private let bindings: [[(any Binding)?]]

  /// The name of each column in SQLite.
  let names: [String]

  /// The name of the table that contains all columns; nil if there are several tables.
  private let table: String?

  private let columnsByKey: [ColumnName: ColumnMatch]
  private let columnsByName: [ColumnName: ColumnMatch]

  private enum ColumnMatch {
    case one(Int)
    case several([Int])
  }

  init(keys: [String], bindings: [[(any Binding)?]] = [], names: [String], table: String? = nil) {
    self.keys = keys
    self.bindings = bindings
    self.names = names
    self.table = table
    columnsByKey = Self.columnsByKey(keys)
    columnsByName = Self.columnsByKey(names.map { $0.quote() })
  }

  private static func columnsByKey(_ keys: [String]) -> [ColumnName: ColumnMatch] {
    var columnsByKey: [ColumnName: ColumnMatch] = Dictionary(minimumCapacity: keys.count)
    for (index, key) in keys.lazy.map({ ColumnName(text: $0) }).enumerated() {
      switch columnsByKey[key] {
      case nil: columnsByKey[key] = .one(index)
      case .one(let first): columnsByKey[key] = .several([first, index])
      case .several(let indexes): columnsByKey[key] = .several(indexes + [index])
      }
    }
    return columnsByKey
  }

  /// Returns the index of the column that an expression represents.
  func index(_ template: String, _ values: [(any Binding)?]) throws -> Int {
    switch columnsByKey[ColumnName(text: template)] {
    case .one(let index):
      if bindings.isEmpty || values.isEmpty || areSame(bindings[index], values) { return index }
    case .several(let indexes):
      if !bindings.isEmpty, let index = indexes.first(where: { areSame(bindings[$0], values) }) { return index }
      if bindings.isEmpty || values.isEmpty { throw ambiguous(template, indexes.map { keys[$0] }) }
    case nil: break
    }
    return try indexOfSimilar(template, values)
  }

  private func indexOfSimilar(_ template: String, _ values: [(any Binding)?]) throws -> Int {
    let suffix = Array(".\(template)".utf8)
    let similar = keys.indices.filter { keys[$0].utf8.suffix(suffix.count).elementsEqual(suffix) }
    if similar.count == 1 { return similar[0] }
    if similar.count > 1 { throw ambiguous(template, similar.map { keys[$0] }.sorted()) }
    if let table, template.utf8.starts(with: "\(table).".utf8) {
      let name = String(decoding: template.utf8.dropFirst(table.utf8.count + 1), as: UTF8.self)
      if case .one(let index) = columnsByKey[ColumnName(text: name)] { return index }
    }
    switch columnsByName[ColumnName(text: template)] {
    case .one(let index): return index
    case .several(let indexes): throw ambiguous(template, indexes.map { keys[$0] }.sorted())
    case nil:
      let columns = bindings.isEmpty ? keys : zip(keys, bindings).map { SQLText.expanded($0, $1) }
      throw QueryError.noSuchColumn(name: SQLText.expanded(template, values), columns: columns.sorted())
    }
  }

  private func ambiguous(_ template: String, _ similar: [String]) -> QueryError {
    QueryError.ambiguousColumn(name: template, similar: similar)
  }

  private func areSame(_ lhs: [(any Binding)?], _ rhs: [(any Binding)?]) -> Bool {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { SQLText.literal($0) == SQLText.literal($1) }
  }
}
