import Tidemark

/// An error for tests.
struct PlannedRefusal: Error {}

/// A queue with two tables, one with a reference to the other, and an observer.
func observed(
  _ recorder: EventRecorder, _ extent: Database.TransactionObservationExtent = .observerLifetime
) throws -> DatabaseQueue {
  let dbQueue = try DatabaseQueue()
  try dbQueue.write { db in
    try db.execute(
      sql: """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE book (
          id INTEGER PRIMARY KEY, title TEXT UNIQUE,
          authorId INTEGER REFERENCES author ON DELETE CASCADE);
        INSERT INTO author VALUES (1, 'Herbert');
        """)
  }
  dbQueue.add(transactionObserver: recorder, extent: extent)
  return dbQueue
}
