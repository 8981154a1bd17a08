extension Statement {
  /// Whether the statement has conflicts that leave in place what it has changed before, as `INSERT OR FAIL` and
  /// `RAISE(FAIL, …)` do. Yes when it cannot be told.
  ///
  /// SQLite does not say so of a failure, but of the program that failed: `EXPLAIN` lists where it stops, and how.
  var mayFailWithoutUndoing: Bool {
    let fail = 3
    do {
      let rows = try database.shielded {
        try database.untraced {
          try Row.fetchAll(database.compile("EXPLAIN " + sql, isInternal: true).withoutChecks())
        }
      }
      return rows.contains { row in
        let (operation, second, fifth): (String, Int?, Int?) = (row["opcode"], row["p2"], row["p5"])
        switch operation {
        case "Halt", "HaltIfNull": return second == fail
        case "VUpdate": return fifth == fail
        default: return false
        }
      }
    } catch {
      return true
    }
  }

  private func withoutChecks() -> Statement {
    setUncheckedArguments([])
    return self
  }
}
