// Opens a connection without any library, and runs a query. Prints the elapsed time in nanoseconds, and the memory
// in KiB.

import CSQLite
import Glibc

let clock = ContinuousClock()
let start = clock.now
var connection: OpaquePointer?
var statement: OpaquePointer?
sqlite3_open_v2(CommandLine.arguments[1], &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
sqlite3_prepare_v2(connection, "SELECT COUNT(*) FROM item", -1, &statement, nil)
sqlite3_step(statement)
let count = sqlite3_column_int(statement, 0)
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
