/// An adapter, which selects and renames the columns of rows.
///
/// An adapter is an argument of a fetch. The fetched rows then have other columns, and may have scopes:
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
  /// Returns the layout of the rows of a statement.
  ///
  /// Implementation detail; do not call it.
  func _layout(of base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
  /// Returns the adapter with additional scopes. The scopes select from the unadapted row.
  ///
  /// ```swift
  /// let adapter = RangeRowAdapter(0..<2).addingScopes(["author": SuffixRowAdapter(fromIndex: 2)])
  /// ```
  ///
  /// - Parameter scopes: The adapters of the scopes, by name.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
  }
}

/// An adapter that removes all columns.
public struct EmptyRowAdapter: RowAdapter {
  /// Creates an adapter that removes all columns.
  public init() {}

  /// Implementation detail; do not call it.
  public func _layout(of base: RowLayout) -> RowLayout { base.selecting([]) }
}

/// An adapter that selects a range of columns.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// Creates an adapter that selects a range of columns, such as `1..<3`.
  public init(_ range: CountableRange<Int>) {
    self.range = range
  }

  /// Creates an adapter that selects a range of columns, such as `1...2`.
  public init(_ range: CountableClosedRange<Int>) {
    self.range = Range(range)
  }

  /// Implementation detail; do not call it.
  public func _layout(of base: RowLayout) -> RowLayout {
    precondition(range.lowerBound >= 0, "The range of columns must not start below 0")
    return base.selecting(range.clamped(to: 0..<base.columns.count))
  }
}

/// An adapter that selects the columns from an index on.
public struct SuffixRowAdapter: RowAdapter {
  private let index: Int

  /// Creates an adapter that selects the columns from an index on.
  ///
  /// - Parameter index: The index of the first selected column.
  /// - Precondition: The index is not negative.
  public init(fromIndex index: Int) {
    precondition(index >= 0, "The index of a column must not be negative")
    self.index = index
  }

  /// Implementation detail; do not call it.
  public func _layout(of base: RowLayout) -> RowLayout {
    base.selecting(min(index, base.columns.count)..<base.columns.count)
  }
}

/// An adapter that selects and renames columns.
///
/// ```swift
/// // [title:"Dune" pages:412], for a row [t:"Dune" p:412 r:4.5]
/// let adapter = ColumnMapping(["title": "t", "pages": "p"])
/// ```
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// Creates an adapter from a dictionary: its keys are the new names, and its values the names in the unadapted row.
  /// The order of the columns does not change.
  public init(_ mapping: [String: String]) {
    self.mapping = mapping
  }

  /// Implementation detail; do not call it.
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

/// An adapter that renames all columns.
public struct RenameColumnAdapter: RowAdapter {
  private let transform: @Sendable (String) -> String

  /// Creates an adapter with a closure that returns the new name of a column.
  ///
  /// ```swift
  /// let adapter = RenameColumnAdapter { $0.lowercased() }
  /// ```
  public init(_ transform: @escaping @Sendable (String) -> String) {
    self.transform = transform
  }

  /// Implementation detail; do not call it.
  public func _layout(of base: RowLayout) -> RowLayout {
    RowLayout(columns: ColumnNames(base.columns.names.map(transform)), mapping: base.mapping)
  }
}

/// An adapter that adds scopes, which are rows inside the row.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// Creates an adapter that keeps all columns, and adds scopes.
  ///
  /// ```swift
  /// let adapter = ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 2)])
  /// ```
  ///
  /// - Parameter scopes: The adapters of the scopes, by name.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// Creates an adapter that adds scopes to another adapter. The scopes select from the unadapted row.
  public init(base: any RowAdapter, scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// Implementation detail; do not call it.
  public func _layout(of row: RowLayout) throws -> RowLayout {
    var layout = try base?._layout(of: row) ?? row
    for (name, adapter) in scopes { layout.scopes[name] = try adapter._layout(of: row) }
    return layout
  }
}

/// Returns adapters that split a row into consecutive parts: one part for each count, and a last one for the remaining
/// columns.
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
