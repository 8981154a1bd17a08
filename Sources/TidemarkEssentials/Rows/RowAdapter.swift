/// Shows the columns of a row in another way.
///
/// An adapter is given along with a query. The rows then show other columns, and may have scopes:
///
/// ```swift
/// let adapter = ScopeAdapter(
///   base: RangeRowAdapter(0..<2),
///   scopes: ["author": SuffixRowAdapter(fromIndex: 2)])
/// let sql = "SELECT book.id, book.title, author.* FROM book JOIN author ON author.id = book.authorId"
/// for row in try Row.fetchAll(db, sql: sql, adapter: adapter) {
///   let title: String = row["title"]
///   let authorName: String? = row.scopes["author"]?["name"]
/// }
/// ```
public protocol RowAdapter: Sendable {
  /// The layout of the rows of a statement.
  ///
  /// Not for you to call.
  func _layout(of base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
  /// The same adapter, with more scopes. Scopes are cut out of the row of the statement.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
  }
}

/// Shows no column.
public struct EmptyRowAdapter: RowAdapter {
  /// An adapter that shows no column.
  public init() {}

  /// Not for you to call.
  public func _layout(of base: RowLayout) -> RowLayout { base.selecting([]) }
}

/// Shows the columns of a range.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// The columns of a range, such as `1..<3`.
  public init(_ range: CountableRange<Int>) {
    self.range = range
  }

  /// The columns of a range, such as `1...2`.
  public init(_ range: CountableClosedRange<Int>) {
    self.range = Range(range)
  }

  /// Not for you to call.
  public func _layout(of base: RowLayout) -> RowLayout {
    precondition(range.lowerBound >= 0, "A range of columns cannot begin below zero")
    return base.selecting(range.clamped(to: 0..<base.columns.count))
  }
}

/// Shows the columns from an index on.
public struct SuffixRowAdapter: RowAdapter {
  private let index: Int

  /// The columns from an index on.
  ///
  /// - Precondition: The index is not negative.
  public init(fromIndex index: Int) {
    precondition(index >= 0, "Columns cannot be counted from below zero")
    self.index = index
  }

  /// Not for you to call.
  public func _layout(of base: RowLayout) -> RowLayout {
    base.selecting(min(index, base.columns.count)..<base.columns.count)
  }
}

/// Shows some columns under other names.
///
/// ```swift
/// // [title:"Dune" pages:412], for a row [t:"Dune" p:412 r:4.5]
/// let adapter = ColumnMapping(["title": "t", "pages": "p"])
/// ```
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// For each column to show, the column of the row. Columns show in the order of the row.
  public init(_ mapping: [String: String]) {
    self.mapping = mapping
  }

  /// Not for you to call.
  public func _layout(of base: RowLayout) throws -> RowLayout {
    let columns = try mapping.map { name, baseName -> (index: Int, name: String) in
      guard let index = base.columns.index(of: baseName) else {
        let valid = base.columns.names.joined(separator: ", ")
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "Mapping references missing column \(baseName). Valid column names are: \(valid).")
      }
      return (index, name)
    }.sorted { ($0.index, $0.name) < ($1.index, $1.name) }
    return RowLayout(
      columns: ColumnNames(columns.map(\.name)), mapping: columns.map { base.mapping[$0.index] })
  }
}

/// Shows all columns under other names.
public struct RenameColumnAdapter: RowAdapter {
  private let transform: @Sendable (String) -> String

  /// Names each column after its name in the row.
  public init(_ transform: @escaping @Sendable (String) -> String) {
    self.transform = transform
  }

  /// Not for you to call.
  public func _layout(of base: RowLayout) -> RowLayout {
    RowLayout(columns: ColumnNames(base.columns.names.map(transform)), mapping: base.mapping)
  }
}

/// Shows the columns of an adapter, and rows inside the row.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// All columns, and rows cut out of the row.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// The columns of an adapter, and rows cut out of the row, before that adapter.
  public init(base: any RowAdapter, scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// Not for you to call.
  public func _layout(of row: RowLayout) throws -> RowLayout {
    var layout = try base?._layout(of: row) ?? row
    for (name, adapter) in scopes { layout.scopes[name] = try adapter._layout(of: row) }
    return layout
  }
}

/// Adapters that cut a row in slices: one per count, and a last one for the columns that are left.
///
/// ```swift
/// let adapters = splittingRowAdapters(columnCounts: [2, 3])    // columns 0–1, 2–4, and from 5 on
/// ```
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
  var start = 0
  var adapters: [any RowAdapter] = []
  for count in columnCounts {
    adapters.append(RangeRowAdapter(start..<start + count))
    start += count
  }
  return adapters + [SuffixRowAdapter(fromIndex: start)]
}
