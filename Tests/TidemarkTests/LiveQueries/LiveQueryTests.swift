import Testing

@testable import TidemarkEssentials

/// An observed query as a value: its observers, its reads, and its changed rows.
@Suite struct LiveQueryTests {
  private final class Source {}

  private static func query(isIncremental: Bool = false, tracksEachFetch: Bool = true) -> LiveQuery {
    var facts = LiveQuery.Facts(key: LiveQueryKey(Source(), requiresWriteAccess: false))
    (facts.isIncremental, facts.tracksEachFetch) = (isIncremental, tracksEachFetch)
    return LiveQuery(facts)
  }

  /// Different ids, which only a table makes.
  private static func ids(_ count: Int) -> [LiveObserverID] {
    var table = IDTable<LiveObserverTag, Int>()
    return (0..<count).map { table.insert($0) }
  }

  // MARK: - Observers

  @Test func `the last observer takes the index of a removed one`() {
    let ids = Self.ids(3)
    var query = Self.query()
    for id in ids { query.add(LiveQuery.Observer(id: id, arrival: 0, interests: [])) }
    let moved = query.removeObserver(at: 0)
    #expect(moved == ids[2])
    #expect(query.observers.map(\.id) == [ids[2], ids[1]])
    // Nothing moves when the last one is removed.
    let last = query.removeObserver(at: 1)
    #expect(last == nil)
    #expect(query.observers.map(\.id) == [ids[2]])
  }

  @Test func `an observer is new until it receives a value`() {
    let ids = Self.ids(3)
    var query = Self.query()
    for (index, id) in ids.enumerated() {
      query.add(LiveQuery.Observer(id: id, arrival: index, interests: []))
    }
    #expect(query.takeReceivers { $0.arrival < 2 && $0.isNew } == [ids[0], ids[1]])
    #expect(query.takeReceivers { $0.isNew } == [ids[2]])
    #expect(query.takeReceivers { _ in true } == ids)
    #expect(query.takeReceivers { $0.isNew } == [])
  }

  @Test func `observers are found by an interest`() {
    let ids = Self.ids(3)
    var query = Self.query()
    let interests: [ObservationEvents.Interests] = [[.willFetch], [], [.willFetch, .databaseDidChange]]
    for (id, interests) in zip(ids, interests) {
      query.add(LiveQuery.Observer(id: id, arrival: 0, interests: interests))
    }
    #expect(query.observers(interestedIn: .willFetch) == [ids[0], ids[2]])
    #expect(query.observers(interestedIn: .databaseDidChange) == [ids[2]])
    #expect(query.observers(interestedIn: .willTrackRegion).isEmpty)
    #expect(query.interests == [.willFetch, .databaseDidChange])
  }

  @Test func `a query that needs write access has another key`() {
    let source = Source()
    let (reading, writing) = (
      LiveQueryKey(source, requiresWriteAccess: false), LiveQueryKey(source, requiresWriteAccess: true)
    )
    #expect(!reading.requiresWriteAccess && writing.requiresWriteAccess)
    #expect(reading != writing)
    #expect(reading == LiveQueryKey(source, requiresWriteAccess: false))
  }

  // MARK: - Reads

  @Test func `the reads are determined by the first fetch, or by each one`() {
    var once = Self.query(tracksEachFetch: false)
    var always = Self.query(tracksEachFetch: true)
    #expect(once.mustFindRegion && always.mustFindRegion)
    once.note(ReadSet(), schemaVersion: 3)
    always.note(ReadSet())
    #expect(!once.mustFindRegion && always.mustFindRegion)
    #expect(once.schemaVersion == 3 && always.schemaVersion == 0)
    once.forgetReadSet()
    #expect(once.mustFindRegion && once.lastReadSet == nil)
  }

  @Test func `by default, each fetch determines the reads`() {
    var query = LiveQuery(LiveQuery.Facts(key: LiveQueryKey(Source(), requiresWriteAccess: false)))
    #expect(query.schemaVersion == 0)
    query.note(ReadSet())
    #expect(query.mustFindRegion)
  }

  @Test func `a query with a region has not failed`() {
    var query = Self.query()
    query.region = .fullDatabase
    #expect(query.region == .fullDatabase && query.failureCount == 0)
  }

  @Test func `a query has a region and a number of failures if they are set`() {
    var query = Self.query()
    #expect(query.region == nil && query.failureCount == 0)
    query.failureCount = 2
    #expect(query.failureCount == 2 && query.region == nil)
    query.region = .fullDatabase
    query.failureCount = 0
    #expect(query.region == .fullDatabase && query.failureCount == 0)
    query.region = nil
    #expect(query.region == nil)
  }

  @Test func `the time of the first change is kept with a precision of some nanoseconds`() throws {
    var query = Self.query()
    #expect(query.wokenAt == nil)
    for time in [Duration.zero, .nanoseconds(1), .milliseconds(20), .seconds(1_000_000)] {
      query.wokenAt = time
      let error = try #require(query.wokenAt) - time
      #expect(error >= .nanoseconds(-3) && error <= .nanoseconds(3))
    }
    query.wokenAt = nil
    #expect(query.wokenAt == nil)
  }

  // MARK: - Changed rows

  @Test func `an incremental query collects changed rows, and returns them once`() {
    var query = Self.query(isIncremental: true)
    // Before the first fetch, any row may have changed.
    #expect(query.takeChangedRows() == .any)
    query.note(ChangedRows.some([1]))
    query.note(ChangedRows.some([2]))
    #expect(query.takeChangedRows() == .some([1, 2]))
    #expect(query.takeChangedRows() == .none)
    query.note(ChangedRows.any)
    #expect(query.takeChangedRows() == .any)
  }

  @Test func `any row of another query may have changed`() {
    var query = Self.query()
    query.note(ChangedRows.some([1]))
    #expect(query.takeChangedRows() == .any)
    #expect(query.takeChangedRows() == .any)
  }
}
