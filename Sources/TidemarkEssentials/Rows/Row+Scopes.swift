extension Row {
  /// The rows inside this row, by name. See `ScopeAdapter`.
  public var scopes: ScopesView { ScopesView(row: self) }

  /// The rows inside this row, and inside these, by name. Where a name is found several times, the one
  /// nearest to this row is meant.
  public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

  /// This row without its scopes and prefetched rows.
  public var unscoped: Row {
    guard let layout else {
      return prefetched.isEmpty ? self : Row(self, layout: nil)
    }
    var unscoped = layout
    unscoped.scopes = [:]
    return Row(self, layout: unscoped)
  }

  /// The row as the statement has it, without adapter.
  public var unadapted: Row { layout == nil ? self : Row(self, layout: nil) }

  /// Whether a column of this row, or of one of its scopes, is not NULL.
  public var containsNonNullValue: Bool {
    (0..<count).contains { !hasNull(atIndex: $0) } || scopes.contains { $0.row.containsNonNullValue }
  }

  /// The rows inside a row, by name.
  public struct ScopesView: Collection {
    /// A position among the scopes.
    public typealias Index = Dictionary<String, RowLayout>.Index

    private let row: Row
    private let layouts: [String: RowLayout]

    init(row: Row) {
      self.row = row
      layouts = row.layout?.scopes ?? [:]
    }

    /// The names of the scopes.
    public var names: Dictionary<String, RowLayout>.Keys { layouts.keys }

    /// The first scope.
    public var startIndex: Index { layouts.startIndex }

    /// The position after the last scope.
    public var endIndex: Index { layouts.endIndex }

    /// The next position.
    public func index(after index: Index) -> Index { layouts.index(after: index) }

    /// The name of a scope, and its row.
    public subscript(position: Index) -> (name: String, row: Row) {
      let (name, layout) = layouts[position]
      return (name, row.scope(name, layout))
    }

    /// The row of a scope, or nil when there is none of that name.
    public subscript(_ name: String) -> Row? {
      layouts[name].map { row.scope(name, $0) }
    }
  }

  /// The rows inside a row and inside these, by name.
  public struct ScopesTreeView {
    let row: Row

    /// The names of all scopes.
    public var names: Set<String> {
      var names: Set<String> = []
      for (name, row) in row.scopes {
        names.insert(name)
        names.formUnion(row.scopesTree.names)
      }
      return names
    }

    /// The row of the scope of that name that is nearest, or nil.
    public subscript(_ name: String) -> Row? {
      var level = [row]
      while !level.isEmpty {
        for row in level {
          if let found = row.scopes[name] { return found }
        }
        level = level.flatMap { $0.scopes.map(\.row) }
      }
      return nil
    }
  }
}

extension Row {
  fileprivate func scope(_ name: String, _ layout: RowLayout) -> Row {
    Row(self, layout: layout, prefetched: prefetched.nodes[name]?.descendants ?? PrefetchedRows())
  }
}

extension Row {
  /// The rows that were loaded along with this row by other queries, by name.
  public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(rows: prefetched) }

  /// Rows loaded by other queries, by name.
  public struct PrefetchedRowsView {
    let rows: PrefetchedRows

    /// Whether there are no prefetched rows.
    public var isEmpty: Bool { rows.isEmpty }

    /// The names of the prefetched rows, including those of the rows in scopes.
    public var keys: Set<String> { rows.keys }

    /// The prefetched rows of that name, or nil when there are none of that name.
    ///
    /// Where a name is found several times, in this row and in its scopes, the one nearest to this row is meant.
    public subscript(_ key: String) -> [Row]? { rows[key] }
  }
}
