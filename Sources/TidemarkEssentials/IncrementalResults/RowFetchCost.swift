/// Decides whether changed rows are fetched one by one, or the whole result is fetched.
///
/// The unit is an instruction of SQLite's virtual machine. Unlike a time, it does not depend on the load of the
/// machine, and it includes the rows that a query reads and does not return. The choice changes no result and no
/// difference.
struct RowFetchCost: Sendable {
  /// The number of instructions that take as long as fetching, ordering and comparing one row.
  ///
  /// A result row takes about 10 instructions. So one row is fetched alone if the query reads 50 rows or more, and 20
  /// rows are fetched one by one if it reads 1,000 rows.
  var instructionCount = 500

  /// Whether fetching some rows one by one is cheaper than fetching the whole result.
  ///
  /// - Parameter wholeCount: The number of instructions of the last fetch of the whole result.
  func allowsRows(_ count: Int, insteadOf wholeCount: Int) -> Bool { count * instructionCount <= wholeCount }
}

extension Statement {
  /// Runs a closure that runs the statement, and returns the number of instructions that it executed.
  func countingInstructions<Result>(_ body: () throws -> Result) rethrows -> (Result, Int) {
    _ = takeInstructionCount()
    let result = try body()
    return (result, Int(UInt32(bitPattern: takeInstructionCount())))
  }
}
