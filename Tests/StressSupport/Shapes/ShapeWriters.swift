import Foundation
import Tidemark

/// Connections that commit beside the observed database: one of the library, and one without it.
package final class ShapeWriters {
  /// The statements of a transaction, and the connection that executes them.
  package struct Order: Codable {
    package var statements: [ShapeStatement]
    package var usesLibrary: Bool

    package init(_ statements: [ShapeStatement], usesLibrary: Bool) {
      (self.statements, self.usesLibrary) = (statements, usesLibrary)
    }
  }

  /// What another process needs to open the connections.
  package struct Plan: Codable {
    package var encoding: String
    package var writesFeed: Bool

    package init(encoding: String, writesFeed: Bool) {
      (self.encoding, self.writesFeed) = (encoding, writesFeed)
    }

    package init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }

    package var text: String {
      get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
  }

  private let site: ShapeSite
  private let database: DatabaseQueue
  private let withoutLibrary: ConnectionWithoutLibrary

  package init(_ plan: Plan, path: String) throws {
    site = ShapeSite(path: path, encoding: plan.encoding)
    var configuration = site.configuration(attaching: site.attachedPath)
    configuration.journalMode = .wal
    if plan.writesFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    database = try DatabaseQueue(path: path, configuration: configuration)
    withoutLibrary = try ConnectionWithoutLibrary(path: path, attached: site.attachedPath)
  }

  /// Executes statements, which may fail.
  package func execute(_ order: Order) {
    if order.usesLibrary {
      database.execute(order.statements, at: site)
    } else {
      for statement in order.statements { statement.execute(withoutLibrary) }
      if withoutLibrary.isInTransaction { withoutLibrary.execute("ROLLBACK") }
    }
  }

  package func close() throws { try database.close() }
}

extension DatabaseWriter {
  /// Executes statements, which may fail, and ends the transaction that they leave open.
  package func execute(_ statements: [ShapeStatement], at site: ShapeSite) {
    unsafeReentrantWrite { db in
      for statement in statements { statement.execute(db, at: site) }
      // A statement or a constraint may have prevented the commit.
      if db.isInsideTransaction { ShapeStatement.sql("ROLLBACK").execute(db, at: site) }
    }
  }
}
