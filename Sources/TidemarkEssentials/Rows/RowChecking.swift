/// What a row minds when its values are read, on a connection that wants more than SQLite's conversions.
///
/// The rows of other connections have none, and are read without asking.
///
/// A subscript cannot throw. On a row that is being fetched, it answers with the value that SQLite converts, and leaves
/// its error here. Whoever made the record of the row, or steps to the next row, throws it.
@usableFromInline
final class RowChecking {
  /// Whether values that a conversion would change are refused. See `Configuration.strictDecoding`.
  let isStrict: Bool

  /// The first error of a subscript, which nobody has thrown yet.
  @exclusivity(unchecked) private var deferredError: (any Error)?

  init(isStrict: Bool) {
    self.isStrict = isStrict
  }

  /// Keeps an error for whoever can throw. The first one wins.
  func deferError(_ error: any Error) {
    if deferredError == nil { deferredError = error }
  }

  /// Forgets the errors of an earlier run.
  func reset() { deferredError = nil }

  /// Throws the error that was left here, once.
  @usableFromInline
  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }
}

extension Statement {
  /// What its rows mind; nil for nothing.
  func makeRowChecking() -> RowChecking? {
    database.settings.checksRows ? RowChecking(isStrict: database.settings.isDecodingStrict) : nil
  }
}
