import Foundation
import Tidemark

/// A first look at the library: a small shop in memory, and a few queries over it.
///
///     swift run Demo                              the shop
///     swift run Demo FILE "SELECT …"              one query over any SQLite file
@main
struct Demo {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.count {
      case 0: try Shop().show()
      case 1 where ["-h", "--help"].contains(arguments[0]): print(usage)
      case 2: try query(arguments[1], inFile: arguments[0])
      default:
        complain(usage)
        exit(64)
      }
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  private static let usage = """
    usage: Demo                      a small shop in memory, and queries over it
           Demo FILE "SELECT …"      one query over a SQLite file, which is opened read-only
    """

  private static func query(_ sql: String, inFile path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    let table = try dbQueue.read { db in try TextTable(Row.fetchCursor(db, sql: sql), rowCountMax: 1000) }
    print(table)
  }

  private static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
