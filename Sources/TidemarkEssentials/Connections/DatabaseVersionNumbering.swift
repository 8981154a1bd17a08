/// Numbers the commits of a database with a write-ahead log, of all connections.
///
/// The WAL-index header counts the commits, and is read together with a snapshot. The count restarts when a log is
/// recovered, which another process may have to do while this one has the database open: then newer states have lower
/// counts, and the numbers continue from the last one.
///
/// Invariant: of two states, the newer one has the greater number.
struct DatabaseVersionNumbering {
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
