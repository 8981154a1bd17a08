/// The state that a transaction has taken, as the head of the log tells it.
struct TakenState {
  /// That of the state; nil where it is not known: somebody has committed in the moment in which it was taken.
  var header: WALIndexHeader?

  /// That of the state, or of one before; nil where there is no log, or where it was being written.
  var olderHeader: WALIndexHeader?

  /// Whether there is a log.
  var hasLog = false
}

extension Database {
  /// Has the transaction that was begun take its state now.
  func takeState() throws -> TakenState {
    let hasLog = handle?.fileHead?.usesLog == true
    let header = hasLog ? handle?.walIndexHeaderOfLog : nil
    // A transaction takes its state at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    // The head is that of the state if nobody has committed meanwhile.
    guard let header, header == handle?.walIndexHeaderOfLog else {
      return TakenState(olderHeader: header, hasLog: hasLog)
    }
    return TakenState(header: header, olderHeader: header, hasLog: hasLog)
  }
}
