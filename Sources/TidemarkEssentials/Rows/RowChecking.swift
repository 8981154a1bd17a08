/// The checks of values read from rows, on a connection that is stricter than SQLite.
///
/// Rows of other connections do not have this object.
///
/// A subscript cannot throw. In a row that is being fetched, it returns the value converted by SQLite, and stores its
/// error here. The error is thrown when the record of the row has been created, or by the next step.
@usableFromInline
final class RowChecking {
  /// Whether lossy conversions are rejected. See `Configuration.strictDecoding`.
  let isStrict: Bool

  /// The first error of a subscript that has not been thrown yet.
  private var deferredError: (any Error)?

  init(isStrict: Bool) {
    self.isStrict = isStrict
  }

  /// Stores an error to be thrown later. The first one is kept.
  func deferError(_ error: any Error) {
    if deferredError == nil { deferredError = error }
  }

  /// Removes the error of an earlier run.
  func reset() { deferredError = nil }

  /// Throws the stored error, once.
  @usableFromInline
  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }
}

extension Statement {
  /// Returns the checks for the rows of the statement; nil if there are none.
  func makeRowChecking() -> RowChecking? {
    database.settings.checksRows ? RowChecking(isStrict: database.settings.isDecodingStrict) : nil
  }
}
