import Testing

@testable import TidemarkEssentials

/// The map from pages to tables, with pages that are made here: 2 is the root of table `a`, 3 the root of table `b`.
@Suite struct PageMapTests {
  private static let (a, b): (PageMap.Owner, PageMap.Owner) = (2, 3)
  private static let pageSize = 512

  /// The pages of a database.
  private struct Pages: PageMap.WrittenPages {
    var content: [UInt32: [UInt8]] = [:]
    var pageCount: UInt32 = 0

    var numbers: [UInt32] { content.keys.sorted() }
    func contains(_ page: UInt32) -> Bool { content[page] != nil }

    func withContent<Result>(of page: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
      try #require(content[page]).withUnsafeBytes(body)
    }
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  private static func inner(_ children: [UInt32], at start: Int = 0) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageSize)
    let cells = children.dropLast()
    page[start] = 5
    page[start + 4] = UInt8(cells.count)
    page.replaceSubrange(start + 8..<start + 12, with: bigEndian(children.last ?? 0))
    for (number, child) in cells.enumerated() {
      let offset = pageSize - 8 * (number + 1)
      page[start + 12 + 2 * number] = UInt8(offset >> 8)
      page[start + 13 + 2 * number] = UInt8(offset & 0xff)
      page.replaceSubrange(offset..<offset + 4, with: bigEndian(child))
    }
    return page
  }

  private static func leaf() -> [UInt8] { [13] + [UInt8](repeating: 0, count: pageSize - 1) }
  private static func overflow(_ next: UInt32 = 0) -> [UInt8] { bigEndian(next) + [UInt8](repeating: 9, count: 508) }

  private static func first(schemaNumber: UInt32 = 1, firstFreePage: UInt32 = 0, movingRoot: UInt32 = 0) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageSize)
    page.replaceSubrange(32..<36, with: bigEndian(firstFreePage))
    page.replaceSubrange(40..<44, with: bigEndian(schemaNumber))
    page.replaceSubrange(52..<56, with: bigEndian(movingRoot))
    page[100] = 13
    return page
  }

  /// Table `a` has the leaves 4 and 5, table `b` has the leaf 3, and 6 is an overflow page.
  private static let content: [UInt32: [UInt8]] = [
    1: first(), 2: inner([4, 5]), 3: leaf(), 4: leaf(), 5: leaf(), 6: overflow(),
  ]

  private static func map(_ content: [UInt32: [UInt8]] = content, readLimit: Int = 100) throws -> PageMap {
    let pages = Pages(content: content, pageCount: UInt32(content.count))
    return try PageMap(roots: [(2, a), (3, b)], pageCount: pages.pageCount, readLimit: readLimit) { page, body in
      try pages.withContent(of: page, body)
    }
  }

  private func update(
    _ map: inout PageMap, _ written: [UInt32: [UInt8]], pageCount: UInt32 = 6
  ) throws -> PageMap.Changes {
    try map.update(Pages(content: written, pageCount: pageCount))
  }

  @Test func `a leaf belongs to the table of the page above it`() throws {
    var map = try Self.map()
    #expect(try update(&map, [4: Self.leaf()]) == .init(owners: [Self.a]))
    #expect(try update(&map, [3: Self.leaf()]) == .init(owners: [Self.b]))
    #expect(try update(&map, [3: Self.leaf(), 5: Self.leaf()]) == .init(owners: [Self.a, Self.b]))
  }

  @Test func `a new leaf belongs to the table of the page that points to it`() throws {
    var map = try Self.map()
    let split = [2: Self.inner([4, 7, 5]), 4: Self.leaf(), 7: Self.leaf()] as [UInt32: [UInt8]]
    #expect(try update(&map, split, pageCount: 7) == .init(owners: [Self.a]))
    #expect(try update(&map, [7: Self.leaf()], pageCount: 7) == .init(owners: [Self.a]))
  }

  @Test func `the pages of a new level of a tree belong to its table`() throws {
    var map = try Self.map()
    let grown = [3: Self.inner([7]), 7: Self.inner([8, 9]), 8: Self.leaf(), 9: Self.leaf()] as [UInt32: [UInt8]]
    #expect(try update(&map, grown, pageCount: 9) == .init(owners: [Self.b]))
    #expect(try update(&map, [9: Self.leaf()], pageCount: 9) == .init(owners: [Self.b]))
  }

  @Test func `an overflow page that is overwritten alone is uncertain`() throws {
    var map = try Self.map()
    #expect(try update(&map, [6: Self.overflow()]) == .init(areCertain: false))
    #expect(try update(&map, [4: Self.leaf(), 6: Self.overflow()]) == .init(owners: [Self.a], areCertain: false))
  }

  @Test func `a new overflow page is certain, and uncertain when it is overwritten`() throws {
    var map = try Self.map()
    #expect(try update(&map, [4: Self.leaf(), 7: Self.overflow()], pageCount: 7) == .init(owners: [Self.a]))
    #expect(try update(&map, [7: Self.overflow()], pageCount: 7) == .init(areCertain: false))
  }

  @Test func `a leaf that becomes an overflow page of another table loses its owner`() throws {
    var map = try Self.map()
    let freed = [2: Self.inner([4]), 3: Self.leaf(), 5: Self.overflow()] as [UInt32: [UInt8]]
    #expect(try update(&map, freed) == .init(owners: [Self.a, Self.b]))
    #expect(try update(&map, [5: Self.overflow()]) == .init(areCertain: false))
  }

  @Test func `a leaf that moves to another table belongs to it`() throws {
    var map = try Self.map()
    #expect(try update(&map, [2: Self.inner([4])]) == .init(owners: [Self.a]))
    let moved = [3: Self.inner([7, 5]), 5: Self.leaf(), 7: Self.leaf()] as [UInt32: [UInt8]]
    #expect(try update(&map, moved, pageCount: 7) == .init(owners: [Self.a, Self.b]))
    #expect(try update(&map, [5: Self.leaf()], pageCount: 7) == .init(owners: [Self.b]))
  }

  @Test func `the first page of the list of free pages belongs to no table`() throws {
    var map = try Self.map()
    let freed = [1: Self.first(firstFreePage: 6), 4: Self.leaf(), 6: Self.overflow()] as [UInt32: [UInt8]]
    #expect(try update(&map, freed) == .init(owners: [Self.a]))
    let used = [1: Self.first(), 4: Self.leaf(), 6: Self.overflow()] as [UInt32: [UInt8]]
    #expect(try update(&map, used) == .init(owners: [Self.a]))
    #expect(try update(&map, [6: Self.overflow()]) == .init(areCertain: false))
  }

  @Test func `the pages of commits before the map was made show their tables`() throws {
    let map = try Self.map()
    func changes(_ pages: [UInt32], pageCountBefore: UInt32 = 6) throws -> PageMap.Changes {
      let written = Pages(content: Dictionary(uniqueKeysWithValues: pages.map { ($0, Self.leaf()) }), pageCount: 6)
      return try map.changes(written, pageCountBefore: pageCountBefore)
    }
    #expect(try changes([2, 4]) == .init(owners: [Self.a]))
    #expect(try changes([3, 5]) == .init(owners: [Self.a, Self.b]))
    #expect(try changes([1, 3]) == .init(owners: [Self.b], areCertain: false))
    #expect(try changes([4, 6]) == .init(owners: [Self.a], areCertain: false))
    #expect(try changes([4, 6], pageCountBefore: 5) == .init(owners: [Self.a]))
  }

  @Test(
    arguments: [
      ("another schema", [1: first(schemaNumber: 2)], 6),
      ("fewer pages", [2: inner([4])], 5),
      ("a page outside of the file", [2: inner([4, 99])], 6),
      ("a page that was not written", [2: inner([4, 5, 6])], 6),
      ("a page of two tables", [2: inner([4, 7]), 3: inner([7, 8]), 7: leaf(), 8: leaf()], 8),
    ] as [(String, [UInt32: [UInt8]], UInt32)])
  func `the map does not follow`(change: String, written: [UInt32: [UInt8]], pageCount: UInt32) throws {
    var map = try Self.map()
    #expect(throws: PageMap.Invalid.self) { try update(&map, written, pageCount: pageCount) }
  }

  @Test func `a page of the schema makes the map invalid`() throws {
    var content = Self.content
    var page = Self.first()
    page.replaceSubrange(100..., with: Self.inner([6], at: 100)[100...])
    (content[1], content[6]) = (page, Self.leaf())
    var map = try Self.map(content)
    #expect(throws: PageMap.Invalid.self) { try update(&map, [6: Self.leaf()]) }
  }

  @Test func `a database with too many pages, or with pages that move, has no map`() throws {
    #expect(throws: PageMap.Invalid.self) { try Self.map(readLimit: 0) }
    var content = Self.content
    content[1] = Self.first(movingRoot: 4)
    #expect(throws: PageMap.Unsupported.self) { try Self.map(content) }
  }
}
