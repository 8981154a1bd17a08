// A server that runs jobs from an SQLite file, and stops gracefully.
//
//     job-server run jobs.sqlite             runs jobs until SIGINT or SIGTERM
//     job-server add jobs.sqlite 500         adds a job of 500 ms, from any terminal while the server runs
//     job-server add jobs.sqlite -1          adds a job that fails

import Dispatch
import Foundation
import Tidemark

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

/// Runs an operation, and cancels it when the process receives SIGINT or SIGTERM.
func cancellingOnSignals(_ operation: @escaping @Sendable () async throws -> Void) async throws {
  let task = Task(operation: operation)
  let sources = [SIGINT, SIGTERM].map { number in
    // Keep the signal from ending the process before the dispatch source reports it.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { task.cancel() }
    source.resume()
    return source
  }
  defer { for source in sources { source.cancel() } }
  try await task.value
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch (arguments.first, arguments.count) {
  case ("run", 2):
    let store = try JobStore(path: arguments[1])
    try await cancellingOnSignals { try await Server(store: store).run() }
    // Close after the last access: this also checkpoints the write-ahead log.
    try store.dbPool.close()
    log("stopped")
  case ("add", 3):
    guard let milliseconds = Int(arguments[2]) else { fail("expected milliseconds, got '\(arguments[2])'") }
    let job = try await JobStore(path: arguments[1]).add(milliseconds: milliseconds)
    print("added job \(job.id ?? 0)")
  default:
    fail("usage: job-server run FILE | add FILE MILLISECONDS")
  }
} catch {
  fail("job-server: \(error)")
}
