/// Numbers the commits of a database with a write-ahead log, of all connections.
///
/// The WAL-index header counts the commits, and is read together with a snapshot. The count restarts when a log is
/// recovered, which another process may have to do while this one has the database open: then newer states have lower
/// counts, and the numbers continue from the last one.
///
/// Invariant: of two states, the newer one has the greater number.
struct CommitNumbering {
  private var last: WALIndexHeader?
  private var base: UInt64 = 0

  mutating func number(of header: WALIndexHeader) -> UInt64 {
    if let last, header.commitCount < last.commitCount {
      // A state that was taken before another one may be numbered after it.
      if header.isOlder(than: last) { return base + UInt64(header.commitCount) }
      base += UInt64(last.commitCount) + 1
    }
    last = header
    return base + UInt64(header.commitCount)
  }
}

extension _DatabaseGround {
  /// The number of the last commit that a snapshot includes.
  ///
  /// - parameter db: A connection with this snapshot.
  /// - returns: The number, zero if unknown; and whether it may be the number of an earlier commit, or change later.
  func commitNumber(of state: TakenState, _ db: Database) throws -> (number: UInt64, mayBeOlder: Bool) {
    guard let writer else { return (0, false) }
    // Own commits are counted when they are reported, external ones by SQLite.
    if fetchesExcludeWrites {
      return (writer.changeBroker.writeCount + UInt64(clamping: try db.dataVersion()), false)
    }
    guard let header = state.olderHeader else { return (0, state.hasLog) }
    return (number(of: header), state.header == nil)
  }

  /// The number of the last commit that the snapshot of a new transaction includes.
  ///
  /// - returns: Nil if it may be the number of an earlier commit: the caller retries with another transaction.
  func commitNumber(_ db: Database) throws -> UInt64? {
    if writer == nil { return 0 }
    let state = fetchesExcludeWrites ? TakenState() : try db.takeState()
    let (number, mayBeOlder) = try commitNumber(of: state, db)
    return mayBeOlder ? nil : number
  }
}

/// The maximum number of attempts that fail because of a commit at the moment of the snapshot.
let commitNumberAttemptMax = 10_000

extension DatabaseReader {
  /// The number of the last commit, for comparisons with the number of a value: see
  /// ``ValueObservation/withCommitNumbers()``.
  ///
  /// ```swift
  /// let number = try dbPool.commitNumber()
  /// ```
  ///
  /// It is zero in a snapshot, and in a database without a log from which a pool could read it.
  public func commitNumber() throws -> UInt64 {
    let ground = _ground
    for _ in 0..<commitNumberAttemptMax {
      if let number = try read({ try ground.commitNumber($0) }) { return number }
    }
    return 0
  }

  /// The number of the last commit, for comparisons with the number of a value.
  ///
  /// ```swift
  /// let number = try await dbPool.commitNumber()
  /// ```
  public func commitNumber() async throws -> UInt64 {
    let ground = _ground
    for _ in 0..<commitNumberAttemptMax {
      if let number = try await read({ try ground.commitNumber($0) }) { return number }
    }
    return 0
  }
}
