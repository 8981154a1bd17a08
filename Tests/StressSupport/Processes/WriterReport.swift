/// The report of a process that writes at random to its parent: a number.
package struct WriterReport {
  package var program: WriterPlan.Program

  /// The number of transactions that have changed rows and were committed, since the last report.
  package var transactionCount: Int

  /// Whether the process has completed what it was asked for.
  package var isLast: Bool

  package init(program: WriterPlan.Program, transactionCount: Int, isLast: Bool) {
    (self.program, self.transactionCount, self.isLast) = (program, transactionCount, isLast)
  }

  package init(number: Int) {
    isLast = number % 2 == 1
    program = WriterPlan.Program.allCases[number / 2 % 8]
    transactionCount = number / 16
  }

  package var number: Int {
    let program = WriterPlan.Program.allCases.firstIndex(of: program) ?? 0
    return transactionCount * 16 + program * 2 + (isLast ? 1 : 0)
  }
}
