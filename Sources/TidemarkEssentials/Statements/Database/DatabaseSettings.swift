/// The part of the configuration that a connection needs.
///
/// The complete `Configuration` belongs to the connections module, which opens a `Database` with these settings.
struct DatabaseSettings: Sendable {
  /// The label of the connection, used in descriptions.
  var label: String

  /// Whether errors and traces show the values bound to statements.
  var publicStatementArguments = false

  /// Whether the connection is read-only.
  var isReadonly = false

  /// Whether the database is in a file that outlives the process.
  var isInFile = false

  /// The health of the database, shared by its connections.
  var health = DatabaseHealth()

  /// Whether the file may come from an untrusted source.
  var isUntrusted = false

  /// Whether decoding fails if a conversion would change the value.
  var isDecodingStrict = false

  /// Whether decoding may reject values that SQLite would convert.
  var checksRows = false

  /// Whether SQL may attach other files, and write to them.
  var allowsAttachedFiles = true

  /// The time limit of an access; nil if there is none.
  var accessTimeLimit: Duration?

  /// The dispatch queue of accesses; nil if there is none.
  var targetQueue: TargetQueue?

  /// The sources of the current time.
  var clock = MonotonicClock.live
  var wallClock = WallClock.live

  /// The suspension of file locks; nil if the database is never suspended.
  var suspension: Suspension?

  /// The maximum number of cached idle statements.
  var maximumCachedStatementCount = 256
}
