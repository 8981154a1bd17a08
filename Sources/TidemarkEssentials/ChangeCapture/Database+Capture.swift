extension Database {
  /// Whether observers are not notified of the ends of transactions, which change nothing.
  var isReadOnlyForObservers: Bool { settings.isReadonly || access.readOnlyDepth > 0 }

  /// The change capture of this connection.
  var changeCapture: ChangeCapture { moduleState() }

  /// Starts to capture the changes of the connection.
  func beginCapture(usesRowHook: Bool, bound: ChangeLog.Bound = ChangeLog.Bound()) {
    changeCapture.begin(on: self, usesRowHook: usesRowHook, bound: bound)
  }
}
