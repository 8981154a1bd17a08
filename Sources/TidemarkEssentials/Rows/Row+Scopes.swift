extension Row {
  /// The scopes of this row, by name. A scope is a row inside a row: see `ScopeAdapter`.
  public var scopes: ScopesView { ScopesView(row: self) }

  /// The scopes of this row and their nested scopes, by name. If several scopes have a name, it refers to the one
  /// nearest to this row.
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

  /// The row without an adapter, with all columns of the statement.
  public var unadapted: Row { layout == nil ? self : Row(self, layout: nil) }

  /// Whether a column of this row, or of one of its scopes, is not NULL.
  public var containsNonNullValue: Bool {
    (0..<count).contains { !hasNull(atIndex: $0) } || scopes.contains { $0.row.containsNonNullValue }
  }

  /// The scopes of a row, by name.
  public struct ScopesView: Collection {
    /// The index of a scope.
    public typealias Index = Dictionary<String, RowLayout>.Index

    private let row: Row
    private let layouts: [String: RowLayout]

    init(row: Row) {
      self.row = row
      layouts = row.layout?.scopes ?? [:]
    }

    /// The names of the scopes.
    public var names: Dictionary<String, RowLayout>.Keys { layouts.keys }

    /// The index of the first scope.
    public var startIndex: Index { layouts.startIndex }

    /// The index after the last scope.
    public var endIndex: Index { layouts.endIndex }

    /// Returns the next index.
    public func index(after index: Index) -> Index { layouts.index(after: index) }

    /// The name of a scope, and its row.
    public subscript(position: Index) -> (name: String, row: Row) {
      let (name, layout) = layouts[position]
      return (name, row.scope(name, layout))
    }

    /// The row of a scope, or nil if the scope does not exist.
    public subscript(_ name: String) -> Row? {
      layouts[name].map { row.scope(name, $0) }
    }
  }

  /// The scopes of a row and their nested scopes, by name.
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

    /// The scope with a name that is nearest to the root of the tree, as a row; nil if there is none.
    public subscript(_ name: String) -> Row? {
      guard let layout = row.layout, !layout.scopes.isEmpty else { return nil }
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
    Row(self, layout: layout, prefetched: prefetched.descendants(name))
  }
}

extension Row {
  /// The rows that other queries have fetched with this row, by key.
  public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(rows: prefetched) }

  /// Prefetched rows, by key.
  public struct PrefetchedRowsView {
    let rows: PrefetchedRows

    /// Whether the row has no prefetched rows.
    public var isEmpty: Bool { rows.isEmpty }

    /// The keys of the prefetched rows, including the prefetched rows of the scopes.
    public var keys: Set<String> { rows.keys }

    /// The prefetched rows with the given key, or nil if the key does not exist.
    ///
    /// If the key exists several times, in this row and in its scopes, the nearest one applies.
    public subscript(_ key: String) -> [Row]? { rows[key]?.copies }
  }
}
