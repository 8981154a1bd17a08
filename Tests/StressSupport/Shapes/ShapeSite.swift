import Foundation
import TestSupport
import Tidemark

/// The databases of a script: their paths, and the configuration of the connections of each process.
package final class ShapeSite: Sendable {
  /// The path of the main database. The attached one is beside it.
  package let path: String
  package let encoding: String
  private let attachmentCount = Mutex(0)

  package init(path: String, encoding: String) {
    (self.path, self.encoding) = (path, encoding)
  }

  package var attachedPath: String { path + "-aux" }

  /// The configuration of connections that can use the schema.
  package var configuration: Configuration {
    var configuration = Configuration()
    // Some triggers call themselves without end.
    configuration.limits = [.triggerDepth: 10]
    configuration.busyMode = .timeout(WaitLimit.seconds)
    configuration.prepareDatabase { [encoding] db in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
      db.add(collation: Self.collation)
      for function in [Self.pureFunction, Self.function] { db.add(function: function) }
    }
    return configuration
  }

  /// The configuration of connections with an attached database.
  package func configuration(attaching path: String) -> Configuration {
    var configuration = configuration
    configuration.prepareDatabase { db in
      try db.execute(sql: "ATTACH ? AS aux", arguments: [path])
    }
    return configuration
  }

  /// A collation for which many different texts are equal.
  private static let collation = DatabaseCollation("FOLDED", function: order)

  static func order(_ lhs: String, _ rhs: String) -> ComparisonResult {
    let (left, right) = (lhs.lowercased().prefix(1), rhs.lowercased().prefix(1))
    return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
  }

  private static let pureFunction = DatabaseFunction("twice", argumentCount: 1, pure: true) { twice($0[0]) }

  /// A function that SQLite may not assume to be deterministic.
  private static let function = DatabaseFunction("twice_again", argumentCount: 1) { twice($0[0]) }

  private static func twice(_ value: DatabaseValue) -> (any DatabaseValueConvertible)? {
    switch value.storage {
    case .int64(let number): number &* 2
    case .double(let number): number * 2
    case .string(let text): text + text
    case .null, .blob: nil
    }
  }

  /// Returns a copy of the main database, in which statements were executed. They may fail.
  func makeCopy(of db: Database, executing statements: [String]) throws -> DatabaseQueue {
    let copy = try DatabaseQueue(configuration: configuration)
    try copy.inDatabase { copy in
      try db.backup(to: copy)
      for statement in statements { ShapeStatement.sql(statement).execute(copy, at: self) }
    }
    return copy
  }

  /// Attaches a copy of the attached database in its place, in which statements were executed. They may fail.
  func attachAgain(_ db: Database, executing statements: [String]) throws {
    let number = attachmentCount.withLock { count in
      count += 1
      return count
    }
    let path = "\(attachedPath)\(number)"
    try db.execute(sql: "VACUUM aux INTO ?", arguments: [path])
    try db.execute(sql: "DETACH aux")
    try db.execute(sql: "ATTACH ? AS aux", arguments: [path])
    for statement in statements { ShapeStatement.sql(statement).execute(db, at: self) }
  }
}
