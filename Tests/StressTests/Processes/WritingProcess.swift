import Foundation
import StressSupport

/// A process that writes at random, and that may be killed and replaced.
final class WritingProcess {
  let plan: WriterPlan
  private let child: Child
  private let run: Run

  /// The number of orders that it has not completed.
  private var orderCount = 0

  init(_ plan: WriterPlan, in folder: TestFolder, _ run: Run) throws {
    (self.plan, self.run) = (plan, run)
    child = try Child("random", database: folder.database, name: plan.text())
    run.count("processes")
  }

  /// Lets it begin a number of transactions.
  func begin(_ count: Int) {
    orderCount += 1
    child.send(Int64(count))
  }

  /// Lets it increment the number in the table `sentinel`.
  func incrementSentinel() {
    begin(0)
    wait()
  }

  /// Waits until it has completed its orders.
  func wait() {
    while orderCount > 0 {
      guard let number = child.receive() else {
        orderCount = 0
        run.problem("a process has ended: \(plan)")
        kill()
        return
      }
      note(number)
    }
  }

  private func note(_ number: Int64) {
    let report = WriterReport(number: Int(number))
    run.count("transactions", report.transactionCount)
    run.count("of-\(report.program)", report.transactionCount)
    if report.isLast { orderCount -= 1 }
  }

  /// Kills it, whatever it does.
  func kill() {
    let (numbers, complaint) = child.killReceivingRest()
    numbers.forEach(note)
    if !complaint.isEmpty { run.problem("\(plan): \(complaint)") }
  }
}
