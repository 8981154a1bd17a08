extension Database {
  /// Whether nobody is told of the ends of transactions, which change nothing.
  var isReadOnlyForObservers: Bool { settings.isReadonly || readOnlyDepth > 0 }

  /// Where the commits of this connection are told.
  var changeCapture: ChangeCapture { part() }

  /// Begins to follow what the connection writes.
  func beginCapture(usesRowHook: Bool, bound: ChangeLog.Bound = ChangeLog.Bound()) {
    changeCapture.begin(on: self, usesRowHook: usesRowHook, bound: bound)
  }
}
