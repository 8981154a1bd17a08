/// How a database is watched.
struct WatchOptions: Equatable, Sendable {
  var path = ""
  var queries: [String] = []

  /// The least number of seconds between two values of a query.
  var interval = 0.0

  /// Whether lines are written, and no screen; nil where standard output says it.
  var isPlain: Bool?
  var format: PlainFormat?

  /// After how many changes it ends; nil for never.
  var countMax: Int?

  /// How many rows of a result are written.
  var rowCountMax: Int?
}

/// How changes are written as lines.
enum PlainFormat: String, CaseIterable, Sendable {
  case text, csv, json
}
