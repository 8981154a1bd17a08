import Foundation

/// Threads and tasks that work at the same time.
package struct Workers: Sendable {
  package let run: Run

  package init(run: Run) { self.run = run }

  /// Runs closures on threads of their own. Errors are violations of the run.
  package func threads(_ count: Int, _ name: String, _ body: @escaping @Sendable (Int) throws -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            let thread = Thread {
              do {
                try body(number)
              } catch {
                run.problem("\(name) \(number): \(error)")
              }
              continuation.resume()
            }
            thread.stackSize = 4 << 20
            thread.start()
          }
        }
      }
    }
  }

  /// Runs closures in tasks. Errors are violations of the run.
  package func tasks(_ count: Int, _ name: String, _ body: @escaping @Sendable (Int) async throws -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          do {
            try await body(number)
          } catch {
            run.problem("\(name) \(number): \(error)")
          }
        }
      }
    }
  }
}
