/// What a connection has to know of its configuration.
///
/// The whole configuration belongs to the connections module, which opens a `Database` with these.
struct DatabaseSettings: Sendable {
  /// What the connection is called, in descriptions.
  var label: String

  /// Whether errors and traces show the values bound to statements.
  var publicStatementArguments = false

  /// Whether SQLite lets nobody write through this connection.
  var isReadonly = false

  /// Whether the database is in a file that outlives the process.
  var isInFile = false

  /// What the connections of the database share of bad news.
  var health = DatabaseHealth()

  /// Whether the file may come from somebody else.
  var isUntrusted = false

  /// Whether values that a conversion would change do not decode.
  var isDecodingStrict = false

  /// Whether reading a row may fail where SQLite would give a value.
  var checksRows = false

  /// Whether SQL may attach other files to the connection, or write to them.
  var allowsAttachedFiles = true

  /// How long an access may take; nil when it may take its time.
  var accessTimeLimit: Duration?

  /// Where accesses run; nil when that does not matter.
  var targetQueue: TargetQueue?

  /// Where time comes from.
  var clock = MonotonicClock.live

  /// Whether locks must not be taken for some time; nil when that never happens.
  var suspension: Suspension?

  /// How many idle prepared statements are kept.
  var maximumCachedStatementCount = 256
}
