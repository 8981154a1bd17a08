/// A page of a b-tree, and the pages below it.
///
/// The layout is SQLite's, as documented with its file format. An overflow page, or a page of the list of free pages,
/// begins with the number of another page, or with zeros. In a file of `PageMap.pageCountMax` pages, this number does
/// not begin with the byte of a b-tree page.
enum TreePage {
  enum Kind {
    case inner
    case leaf

    /// An overflow page, or a page of the list of free pages.
    case other
  }

  /// The beginning of the b-tree part: the first page begins with the header of the file.
  private static func start(_ page: UInt32) -> Int { page == 1 ? FirstPage.headerSize : 0 }

  static func kind(_ page: UInt32, _ bytes: UnsafeRawBufferPointer) -> Kind {
    switch bytes[start(page)] {
    case 2, 5: .inner
    case 10, 13: .leaf
    default: .other
    }
  }

  /// Calls a closure with the numbers of the pages below an inner page.
  ///
  /// - Returns: False if the page is damaged, or another kind of page.
  static func forEachChild(
    of page: UInt32, _ bytes: UnsafeRawBufferPointer, _ body: (UInt32) throws -> Void
  ) rethrows -> Bool {
    let start = start(page)
    func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
      Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
    let cellCount = Int(number(start + 3, UInt16.self))
    let cells = start + 12
    guard kind(page, bytes) == .inner, cells + 2 * cellCount <= bytes.count else { return false }
    for cell in 0..<cellCount {
      let offset = Int(number(cells + 2 * cell, UInt16.self))
      guard offset + 4 <= bytes.count else { return false }
      try body(number(offset, UInt32.self))
    }
    try body(number(start + 8, UInt32.self))
    return true
  }
}

/// The first page of a database, as far as it shows what a commit has changed.
struct FirstPage {
  /// The size of the header of the file, which precedes the b-tree part.
  static let headerSize = 100

  /// The first page of the list of free pages; 0 if there is none.
  let firstFreePage: UInt32

  /// Whether pages can be moved to other places (`PRAGMA auto_vacuum`).
  let hasMovingPages: Bool

  /// The first page, without the fields that describe the commit and the number of pages.
  private let rest: [UInt8]

  /// - Parameter page: The first page.
  init(_ page: UnsafeRawBufferPointer) {
    func number(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    firstFreePage = number(32)
    hasMovingPages = number(52) != 0
    var rest = Array(page)
    for offset in [24..<40, 92..<100].joined() { rest[offset] = 0 }
    self.rest = rest
  }

  /// Whether the schema and all settings are the same.
  func hasSameContent(as other: Self) -> Bool { rest == other.rest }
}
