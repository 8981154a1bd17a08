// Opens a pool, and runs a query. Prints the elapsed time in nanoseconds, and the memory in KiB.

import Glibc
import TidemarkEssentials

let clock = ContinuousClock()
let start = clock.now
let pool = try DatabasePool(path: CommandLine.arguments[1])
let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
let time = clock.now - start
precondition(count == 1000, "The database is another one")
print(time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000, residentMemory())

/// The largest memory size of the process, in KiB.
func residentMemory() -> Int {
  guard let file = fopen("/proc/self/status", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, CInt(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) ?? 0 }
  }
  return 0
}
