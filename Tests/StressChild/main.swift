import Foundation

// A process that works on a database until it is killed. It reports acknowledged work on its standard output,
// as numbers of eight bytes: the parent counts them, and checks that the work is in the database.
//
//     StressChild DEED PATH NAME

let operations: [String: (_ path: String, _ name: String) throws -> Void] = [
  "write": write, "boast": acknowledgeTooEarly, "backup": backup, "migrate": migrate, "close": close,
  "count": count, "feed": feed, "rows": insertRows, "rows-beside-feed": insertRowsBesideFeed,
  "rows-twice": insertRowTwice, "notify": sendNotifications, "lock": holdLock, "increment": incrementFile,
  "increment-without-lock": incrementFileWithoutLock, "random": writeAtRandom,
  "write-in-tasks": writeInTasks, "boast-in-tasks": acknowledgeInClosures, "feed-in-tasks": feedInTasks,
  "transactions": runTransactions, "stop-in-writes": stopInWrites, "stop-in-reads": stopInReads,
  "model": runModel, "shapes": writeShapes,
]

let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let operation = words.first.flatMap({ operations[$0] }) else {
  complain("StressChild \(operations.keys.sorted().joined(separator: "|")) PATH NAME")
  exit(2)
}
do {
  try operation(CommandLine.arguments[2], CommandLine.arguments[3])
} catch {
  complain("\(CommandLine.arguments[3]): \(error)")
  exit(4)
}
