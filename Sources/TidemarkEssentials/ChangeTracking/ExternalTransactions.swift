// Reading the transactions of other connections, for change streams. The change feed implements it.

/// Reads the transactions that other connections have stored, for one change stream.
///
/// Its methods are called one after the other, in a transaction that reads.
protocol ExternalTransactionsReader: AnyObject, Sendable {
  /// Moves to the current state: the stream needs no earlier transaction.
  ///
  /// - Parameter region: The region of the stream.
  func restart(_ db: Database, region: DatabaseRegion) throws

  /// Reads the next transactions, in a transaction that has not read yet.
  ///
  /// - Returns: Nil if another connection has committed meanwhile: try again.
  func next(_ db: Database, _ request: ExternalTransactions.Request) throws -> ExternalTransactions?

  /// Forgets the position: the next transactions are unknown.
  func forget()
}

/// The next transactions of other connections.
struct ExternalTransactions: Sendable {
  /// Those that concern the region, in their order.
  var transactions: [TransactionChanges] = []

  var ending = Ending.atEnd

  /// The version of the database that was read; nil if it is unknown. Unknown changes include it.
  var version: UInt64?

  enum Ending: Sendable, Equatable {
    /// They are all transactions so far.
    case atEnd

    /// There are more.
    case more

    /// A transaction of this database object follows, which is stored under a version.
    case ownTransaction(recordedVersion: UInt64)

    /// A transaction follows after which the region may be another one.
    case changedSchema

    /// Anything may have changed after the transactions.
    case unknown
  }

  struct Request {
    /// The last own commit that the stream contains, by the version under which it is stored.
    let lastOwnVersion: UInt64

    let limits: ChangeStream.Limits

    /// Whether the first transaction is read even if it may have changed the schema.
    let includesSchemaChange: Bool

    /// The version of the database in a state; nil if the write-ahead log does not count the versions.
    var version: (@Sendable (WALIndexHeader) -> UInt64)?
  }
}

/// An extension of the configuration that stores transactions.
protocol ExternalTransactionsProvider {
  /// Returns a reader for a new stream of a writer connection.
  func externalTransactionsReader(_ broker: ChangeBroker) -> any ExternalTransactionsReader
}

extension TransactionChanges {
  var rowCount: Int { elements.count { if case .row = $0 { true } else { false } } }

  /// Leaves rows out if there are too many.
  mutating func limitRows(to limit: Int) {
    if rowCount > limit { removeRows() }
  }

  /// Replaces the rows by their tables.
  mutating func removeRows() {
    var draft = ChangeReader.Draft()
    for element in elements {
      switch element {
      case .row(let row): draft.addUnknownRows(row.table.databaseName, row.table.name)
      case .unknownRows(let database, let table): draft.addUnknownRows(database, table)
      case .schema, .counter, .userVersion, .notification: draft.elements.append(element)
      }
    }
    elements = draft.elements
    if isComplete || completeness == .incomplete(.notReported) { completeness = .incomplete(.tooManyRows) }
  }
}
