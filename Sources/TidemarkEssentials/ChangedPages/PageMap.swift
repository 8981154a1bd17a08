/// The tables to which the pages of a database belong, so that the pages that a commit has written show which tables it
/// has changed.
///
/// The map is made from the inner pages of all b-trees, which contain the numbers of all their pages. Leaves are not
/// read, so that overflow pages and free pages have no owner. The map is updated from the pages that commits write:
///
///     a page with an owner      its table has changed; if it is an inner page, the pages below it belong to the table
///     a new page                the page that points to it was written, too
///     a page without an owner   an overflow page that was overwritten in place: any table may have changed
///
/// Invariants:
/// 1. Each page of a b-tree has its table as owner.
/// 2. Another page may still have its former table as owner. When it is written, its first byte shows that it does not
///    belong to a b-tree any more.
/// 3. A change that leaves out a table does not exist: a table whose page is linked, freed or overwritten has another
///    page with an owner among the written ones, or the change is not certain.
///
/// Some changes make the map invalid: a change of the schema, which moves roots; pages that SQLite moves (`PRAGMA
/// auto_vacuum`); a page that two tables claim, because a page above it was freed and its content is old.
struct PageMap {
  /// The number of a table; 0 is none.
  typealias Owner = UInt16

  /// The table of the schema.
  static let schema: Owner = 1

  /// The map does not describe the database any more, or too many pages must be read to make it.
  struct Invalid: Error {}

  /// The database cannot be described.
  struct Unsupported: Error {}

  /// The greatest number of pages of a database.
  static let pageCountMax: UInt32 = 1 << 23

  /// The pages that commits have written, and their last content.
  protocol WrittenPages {
    var numbers: [UInt32] { get }
    func contains(_ page: UInt32) -> Bool

    /// The number of pages of the database after the commits.
    var pageCount: UInt32 { get }

    /// Calls a closure with the content of a page. It must have been written.
    func withContent<Result>(of page: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result
  }

  /// The changes of a number of commits.
  struct Changes: Equatable {
    var owners: Set<Owner> = []

    /// Whether all changed tables are known.
    var areCertain = true
  }

  /// The owners of all pages, by their number.
  private var owners: [Owner]
  private var header: FirstPage

  private var pageCount: UInt32 { UInt32(owners.count - 1) }

  // MARK: - Making the map

  /// Reads the inner pages of all b-trees.
  ///
  /// - Parameter roots: The roots of the tables and indexes, with their tables.
  /// - Parameter readLimit: The greatest number of pages to read.
  /// - Parameter read: Calls a closure with the content of a page.
  /// - Throws: `Invalid` if more pages must be read, `Unsupported`, or an error of the read.
  init(
    roots: [(page: UInt32, owner: Owner)], pageCount: UInt32, readLimit: Int,
    _ read: (UInt32, (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    guard pageCount > 0, pageCount <= Self.pageCountMax else { throw Unsupported() }
    var header: FirstPage?
    try read(1) { header = FirstPage($0) }
    guard let header, !header.hasMovingPages else { throw Unsupported() }
    self.header = header
    owners = Array(repeating: 0, count: Int(pageCount) + 1)
    var rest = readLimit
    func willRead() throws {
      rest -= 1
      if rest < 0 { throw Invalid() }
    }
    for root in roots + [(1, Self.schema)] {
      try claim(root.page, root.owner)
      var level = [root.page]
      while let first = level.first {
        // All leaves have the same depth.
        var isInner = false
        try willRead()
        try read(first) { isInner = TreePage.kind(first, $0) == .inner }
        guard isInner else { break }
        var next: [UInt32] = []
        for page in level {
          try willRead()
          try read(page) { bytes in
            let isSound = try TreePage.forEachChild(of: page, bytes) { child in
              try claim(child, root.owner)
              next.append(child)
            }
            if !isSound { throw Unsupported() }
          }
        }
        level = next
      }
    }
  }

  private mutating func claim(_ page: UInt32, _ owner: Owner) throws {
    guard page >= 1, page <= pageCount, owners[Int(page)] == 0 else { throw Unsupported() }
    owners[Int(page)] = owner
  }

  /// The changes of the commits that have led to the state that was read to make the map.
  ///
  /// - Parameter pageCount: The number of pages of the database before these commits.
  func changes(_ written: some WrittenPages, pageCountBefore pageCount: UInt32) throws -> Changes {
    var changes = Changes()
    for page in written.numbers {
      guard page <= self.pageCount else { throw Invalid() }
      switch owners[Int(page)] {
      case Self.schema: changes.areCertain = false
      case 0: if page <= pageCount, page != header.firstFreePage { changes.areCertain = false }
      case let owner: changes.owners.insert(owner)
      }
    }
    return changes
  }

  // MARK: - Updating it

  /// Follows a number of commits.
  ///
  /// - Throws: `Invalid`, or an error of the read. Then the map must be made again.
  mutating func update(_ written: some WrittenPages) throws -> Changes {
    let oldCount = pageCount
    guard written.pageCount >= oldCount, written.pageCount <= Self.pageCountMax else { throw Invalid() }
    owners += Array(repeating: 0, count: Int(written.pageCount - oldCount))
    let freePages = try updateHeader(written)
    var changes = Changes()
    var unknown: [UInt32] = []
    var owned: [UInt32] = []
    for page in written.numbers where page != 1 {
      guard page <= pageCount else { throw Invalid() }
      let owner = owners[Int(page)]
      if owner == Self.schema { throw Invalid() }
      if owner != 0 {
        changes.owners.insert(owner)
        owned.append(page)
      } else if page <= oldCount {
        unknown.append(page)
      }
    }
    try follow(owned, written, &changes)
    changes.areCertain = unknown.allSatisfy { owners[Int($0)] != 0 || freePages.contains($0) }
    return changes
  }

  /// - Returns: The first pages of the list of free pages, before and after the commits.
  private mutating func updateHeader(_ written: some WrittenPages) throws -> Set<UInt32> {
    let before = header.firstFreePage
    if written.contains(1) {
      let new = try written.withContent(of: 1) { FirstPage($0) }
      guard new.hasSameContent(as: header) else { throw Invalid() }
      header = new
    }
    return [before, header.firstFreePage]
  }

  /// Follows the written pages of tables to the pages below them.
  private mutating func follow(_ owned: [UInt32], _ written: some WrittenPages, _ changes: inout Changes) throws {
    var pages = owned
    var claims: [UInt32: Owner] = [:]
    while let page = pages.popLast() {
      let owner = owners[Int(page)]
      var children: [UInt32] = []
      try written.withContent(of: page) { bytes in
        switch TreePage.kind(page, bytes) {
        case .leaf: break
        case .other: owners[Int(page)] = 0
        case .inner:
          guard TreePage.forEachChild(of: page, bytes, { children.append($0) }) else { throw Invalid() }
        }
      }
      for child in children {
        guard child >= 2, child <= pageCount, claims[child] ?? owner == owner else { throw Invalid() }
        claims[child] = owner
        if owners[Int(child)] == owner { continue }
        // A page that is new in a table was written.
        guard written.contains(child) else { throw Invalid() }
        owners[Int(child)] = owner
        changes.owners.insert(owner)
        pages.append(child)
      }
    }
  }
}
