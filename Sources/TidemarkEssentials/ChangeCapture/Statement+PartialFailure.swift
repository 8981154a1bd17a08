extension Statement {
  /// Whether conflicts of the statement preserve its earlier changes, as `INSERT OR FAIL` and
  /// `RAISE(FAIL, …)` do. True if this is unknown.
  ///
  /// SQLite does not report it with the failure. But `EXPLAIN` lists where the program of the statement halts, and how.
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
