/// The options of `Demo watch`.
struct WatchOptions: Equatable, Sendable {
  var path = ""
  var queries: [String] = []

  /// The least number of seconds between two values of a query.
  var interval = 0.0

  /// Whether lines are written instead of a screen; nil to decide by standard output.
  var isPlain: Bool?
  var format: PlainFormat?

  /// The number of changes after which the command ends; nil for no limit.
  var countMax: Int?

  /// The number of rows of a result that are written.
  var rowCountMax: Int?
}

/// The format of the lines.
enum PlainFormat: String, CaseIterable, Sendable {
  case text, csv, json
}
