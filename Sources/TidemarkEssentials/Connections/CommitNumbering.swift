/// Numbers for the commits of a database with a write-ahead log, whoever makes them.
///
/// The head of the log counts them, and is read with a state. That count begins anew when a log is recovered, which
/// another process may have to do while this one has the database open: then, what is newer in the log has a lower
/// count, and numbers go on from what they were.
///
/// Law: of two states, the newer one has the greater number.
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
  /// The number of the last commit that a state has seen.
  ///
  /// - parameter db: Reads that state.
  /// - returns: Zero when it cannot be told; and whether it may be that of a commit before, or be told another time.
  func commitNumber(of state: TakenState, _ db: Database) throws -> (number: UInt64, mayBeOlder: Bool) {
    guard let writer else { return (0, false) }
    // Own commits are counted when they are told, those of others by SQLite.
    if fetchesExcludeWrites {
      return (writer.changeBroker.writeCount + UInt64(clamping: try db.dataVersion()), false)
    }
    guard let header = state.olderHeader else { return (0, state.hasLog) }
    return (number(of: header), state.header == nil)
  }

  /// The number of the last commit that the state has seen which a transaction takes that has just begun.
  ///
  /// - returns: Nil when it may be that of a commit before: another transaction may have more luck.
  func commitNumber(_ db: Database) throws -> UInt64? {
    if writer == nil { return 0 }
    let state = fetchesExcludeWrites ? TakenState() : try db.takeState()
    let (number, mayBeOlder) = try commitNumber(of: state, db)
    return mayBeOlder ? nil : number
  }
}

/// That others commit in the moment in which a state is taken does not go on for long.
let commitNumberAttemptMax = 10_000

extension DatabaseReader {
  /// The number of the last commit, for those who compare it with that of a value: see
  /// `ValueObservation.withCommitNumbers()`.
  ///
  /// ```swift
  /// let number = try dbPool.commitNumber()
  /// ```
  ///
  /// In a snapshot, and where there is no log that a pool could tell it from, it is zero.
  public func commitNumber() throws -> UInt64 {
    let ground = _ground
    for _ in 0..<commitNumberAttemptMax {
      if let number = try read({ try ground.commitNumber($0) }) { return number }
    }
    return 0
  }

  /// The number of the last commit, for those who compare it with that of a value.
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
