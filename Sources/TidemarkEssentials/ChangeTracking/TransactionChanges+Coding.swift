public import FoundationEssentials

// The binary form of the changes of a transaction. `Documentation/ChangeEncoding.md` describes it for programs that
// read it without the library.
//
// Invariants:
// 1. Equal changes have equal bytes, and bytes that can be decoded are those that the changes are encoded as. So bytes
//    can be compared, and a digest of the bytes identifies the changes.
// 2. Decoding throws an error, or returns changes: no bytes make it trap, read beyond their end, or allocate more than
//    a constant multiple of their number.

extension TransactionChanges {
  /// The reason why bytes cannot be decoded.
  public struct DecodingError: Error, Hashable, CustomStringConvertible {
    /// The reason.
    public let message: String

    /// The position of the first wrong byte, or a later one.
    public let offset: Int

    /// The message, with the position.
    public var description: String { "malformed changes at byte \(offset): \(message)" }
  }

  /// The version of the format.
  static let formatVersion: UInt8 = 1

  enum Tag: UInt8 {
    case table = 1
    case insert = 2
    case update = 3
    case delete = 4
    case unknownRows = 5
    case schema = 6
    case counter = 7
    case removedCounter = 8
    case userVersion = 9
    case notification = 10
  }

  /// Facts about the elements in the head, so that a reader need not decode the elements.
  struct Flags: OptionSet {
    let rawValue: UInt8

    static let isContinued = Flags(rawValue: 1 << 0)
    static let hasNotifications = Flags(rawValue: 1 << 1)
    static let all: Flags = [.isContinued, .hasNotifications]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(isContinued: Bool, hasNotifications: Bool) {
      self = []
      if isContinued { insert(.isContinued) }
      if hasNotifications { insert(.hasNotifications) }
    }
  }

  // MARK: - Encoding

  /// Returns the changes as bytes.
  ///
  /// Equal changes have equal bytes. The form is documented, and later versions of the library can read it.
  ///
  /// ```swift
  /// let changes = TransactionChanges(microsecondsSince1970: 0, elements: [.schema(sql: "DROP TABLE player")])
  /// let bytes = changes.encoded()
  /// let same = try TransactionChanges(decoding: bytes)
  /// ```
  ///
  /// - Returns: The bytes.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    let reason: Reason? = if case .incomplete(let reason) = completeness { reason } else { nil }
    let flags = Flags(isContinued: isContinued, hasNotifications: elements.contains { $0.isNotification })
    Self.appendHead(versions: versions, microsecondsSince1970, reason, flags, to: &writer)
    var tables = TableIndexes()
    for element in elements { Self.append(element, to: &writer, &tables) }
    return writer.bytes
  }

  /// The tables that were written, in the order of their first change.
  private struct TableIndexes {
    private var indexes: [ChangedTable: Int] = [:]
    private var last: (table: ChangedTable, index: Int)?

    /// Returns the index of a table, after its description if this is its first change.
    mutating func index(of table: ChangedTable, _ writer: inout ByteWriter) -> Int {
      if let last, last.table === table { return last.index }
      let index = indexes[table] ?? indexes.count
      if index == indexes.count {
        indexes[table] = index
        TransactionChanges.append(table, to: &writer)
      }
      last = (table, index)
      return index
    }
  }

  /// Appends everything that precedes the elements.
  static func appendHead(
    versions: ClosedRange<DatabaseVersion>?, _ microsecondsSince1970: Int64, _ reason: Reason?, _ flags: Flags,
    to writer: inout ByteWriter
  ) {
    // Three bytes, and three numbers.
    writer.write(upTo: 33) { cursor in
      cursor.append(byte: formatVersion)
      cursor.append(versions.map { $0.upperBound.number &+ 1 } ?? 0)
      if let versions { cursor.append(versions.upperBound.number - versions.lowerBound.number) }
      cursor.append(signed: microsecondsSince1970)
      cursor.append(byte: reason?.rawValue ?? 0)
      cursor.append(byte: flags.rawValue)
    }
  }

  /// Appends the description of a table.
  static func append(_ table: ChangedTable, to writer: inout ByteWriter) {
    writer.append(byte: Tag.table.rawValue)
    writer.append(table.databaseName)
    writer.append(table.name)
    writer.append(byte: table.rowID.rawValue)
    writer.append(count: table.columnNames.count)
    for name in table.columnNames { writer.append(name) }
    writer.append(count: table.primaryKey.count)
    for index in table.primaryKey { writer.append(count: index) }
  }

  private static func append(_ element: Element, to writer: inout ByteWriter, _ tables: inout TableIndexes) {
    switch element {
    case .row(let row): append(row, to: &writer, &tables)
    case .unknownRows(let databaseName, let tableName):
      writer.append(byte: Tag.unknownRows.rawValue)
      writer.append(databaseName)
      writer.append(tableName)
    case .schema(let sql):
      writer.append(byte: Tag.schema.rawValue)
      writer.append(sql)
    case .counter(let databaseName, let tableName, let value):
      writer.append(byte: (value == nil ? Tag.removedCounter : Tag.counter).rawValue)
      writer.append(databaseName)
      writer.append(tableName)
      if let value { writer.append(signed: value) }
    case .userVersion(let databaseName, let value):
      writer.append(byte: Tag.userVersion.rawValue)
      writer.append(databaseName)
      writer.append(signed: Int64(value))
    case .notification(let channel, let payload):
      writer.append(byte: Tag.notification.rawValue)
      writer.append(channel)
      writer.append(payload)
    }
  }

  private static func append(_ row: ChangedRow, to writer: inout ByteWriter, _ tables: inout TableIndexes) {
    let table = row.table
    let index = tables.index(of: table, &writer)
    func append(_ tag: Tag, _ image: ChangedRow.Image) {
      writer.append(byte: tag.rawValue)
      writer.append(count: index)
      if table.rowID != .none { writer.append(signed: image.rowID) }
      for (index, value) in image.values.enumerated() where index != table.rowIDColumn { writer.append(value) }
    }
    switch row.images {
    case .insert(let image): append(.insert, image)
    case .delete(let image): append(.delete, image)
    case .update(let old, let new):
      append(.update, old)
      // Of a column that is the row ID, the bit stands for the row ID. A row ID that is not a column has the last bit.
      var changes = zip(old.values, new.values).map { !$0.hasSameBytes(as: $1) }
      if table.rowID == .hidden { changes.append(old.rowID != new.rowID) }
      writer.append(bits: changes)
      for (index, isChanged) in changes.enumerated() where isChanged {
        if index == table.rowIDColumn ?? new.values.count {
          writer.append(signed: new.rowID)
        } else {
          writer.append(new.values[index])
        }
      }
    }
  }

  // MARK: - Decoding

  /// Decodes changes from the bytes of ``encoded()``.
  ///
  /// ```swift
  /// func read(_ data: Data) throws -> [ChangedRow] {
  ///   try TransactionChanges(decoding: data).rows
  /// }
  /// ```
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: A ``DecodingError`` if they are not the bytes of any changes.
  public init(decoding bytes: some ContiguousBytes) throws {
    var lastTable: DescribedTable?
    self = try bytes.withUnsafeBytes { try TransactionChanges($0, &lastTable) }
  }

  /// A decoded table, and its description.
  struct DescribedTable {
    let table: ChangedTable
    fileprivate let description: [UInt8]
  }

  /// Decodes one of several changes, which often concern the same table.
  ///
  /// - Parameter lastTable: The table that was decoded last. Decoding a description takes longer than decoding a row
  ///   (Benchmarks: `feed`, the replay of entries with one row).
  init(_ bytes: UnsafeRawBufferPointer, _ lastTable: inout DescribedTable?) throws(DecodingError) {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.formatVersion else { throw reader.failure("unknown version of the format") }
    versions = try Self.versions(&reader)
    microsecondsSince1970 = try reader.signedNumber()
    let reason = try reader.byte()
    if reason == 0 {
      completeness = .complete
    } else if let reason = Reason(rawValue: reason) {
      completeness = .incomplete(reason)
    } else {
      throw reader.failure("unknown reason")
    }
    let flags = try Self.flags(&reader)
    isContinued = flags.contains(.isContinued)
    elements = []
    var hasNotifications = false
    var tables: [ChangedTable] = []
    var knownTables: Set<ChangedTable> = []
    // A table is described immediately before its first change.
    var isNewTable = false
    while !reader.isAtEnd {
      let tag = try Self.tag(&reader)
      if tag == .table {
        if isNewTable { throw reader.failure("table without changes") }
        let table = try Self.table(&reader, &lastTable)
        // Most changes concern one table, and need no set.
        if !tables.isEmpty {
          if knownTables.isEmpty { knownTables = Set(tables) }
          guard knownTables.insert(table).inserted else { throw reader.failure("table is described twice") }
        }
        tables.append(table)
        isNewTable = true
        continue
      }
      if tag == .notification { hasNotifications = true }
      elements.append(try Self.element(tag, &reader, tables, &isNewTable))
      if isNewTable { throw reader.failure("table without changes") }
    }
    if isNewTable { throw reader.failure("table without changes") }
    if flags.contains(.hasNotifications) != hasNotifications { throw reader.failure("wrong flag of notifications") }
  }

  private static func flags(_ reader: inout ByteReader) throws(DecodingError) -> Flags {
    let flags = Flags(rawValue: try reader.byte())
    if !flags.isSubset(of: .all) { throw reader.failure("unknown flags") }
    return flags
  }

  /// Whether encoded changes contain notifications; true if they are malformed. Their elements are not decoded.
  static func mayHaveNotifications(encoded bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      do {
        guard try reader.byte() == formatVersion else { return true }
        _ = try versions(&reader)
        _ = try reader.signedNumber()
        _ = try reader.byte()
        return try flags(&reader).contains(.hasNotifications)
      } catch {
        return true
      }
    }
  }

  /// The time of encoded changes; nil if they are malformed.
  static func microsecondsSince1970(ofEncoded bytes: UnsafeRawBufferPointer) -> Int64? {
    var reader = ByteReader(bytes)
    do {
      guard try reader.byte() == formatVersion else { return nil }
      _ = try versions(&reader)
      return try reader.signedNumber()
    } catch {
      return nil
    }
  }

  private static func versions(
    _ reader: inout ByteReader
  ) throws(DecodingError) -> ClosedRange<DatabaseVersion>? {
    let number = try reader.number()
    if number == 0 { return nil }
    let count = try reader.number()
    guard count < number else { throw reader.failure("the first version is negative") }
    return DatabaseVersion(number - 1 - count)...DatabaseVersion(number - 1)
  }

  private static func tag(_ reader: inout ByteReader) throws(DecodingError) -> Tag {
    guard let tag = Tag(rawValue: try reader.byte()) else { throw reader.failure("unknown kind of a change") }
    return tag
  }

  private static func table(
    _ reader: inout ByteReader, _ last: inout DescribedTable?
  ) throws(DecodingError) -> ChangedTable {
    if let last, reader.skip(last.description) { return last.table }
    let start = reader.position
    let table = try table(&reader)
    last = DescribedTable(table: table, description: Array(reader.bytes(since: start)))
    return table
  }

  private static func table(_ reader: inout ByteReader) throws(DecodingError) -> ChangedTable {
    let databaseName = try reader.text()
    let name = try reader.text()
    guard let rowID = ChangedTable.RowID(rawValue: try reader.byte()) else {
      throw reader.failure("unknown kind of a row ID")
    }
    var columnNames: [String] = []
    for _ in 0..<(try reader.count()) { columnNames.append(try reader.text()) }
    var primaryKey: [Int] = []
    for _ in 0..<(try reader.count()) { primaryKey.append(try reader.index(below: columnNames.count)) }
    guard ChangedTable.isKey(primaryKey, columnCount: columnNames.count, rowID) else {
      throw reader.failure("impossible primary key")
    }
    return ChangedTable(
      databaseName: databaseName, name: name, columnNames: columnNames, primaryKey: primaryKey, rowID: rowID)
  }

  private static func element(
    _ tag: Tag, _ reader: inout ByteReader, _ tables: [ChangedTable], _ isNewTable: inout Bool
  ) throws(DecodingError) -> Element {
    switch tag {
    case .insert:
      let table = try changedTable(&reader, tables, &isNewTable)
      return .row(ChangedRow(table: table, images: .insert(try image(of: table, &reader))))
    case .delete:
      let table = try changedTable(&reader, tables, &isNewTable)
      return .row(ChangedRow(table: table, images: .delete(try image(of: table, &reader))))
    case .update:
      let table = try changedTable(&reader, tables, &isNewTable)
      let old = try image(of: table, &reader)
      return .row(ChangedRow(table: table, images: .update(old: old, new: try newImage(after: old, table, &reader))))
    case .unknownRows: return .unknownRows(databaseName: try reader.text(), tableName: try reader.text())
    case .schema: return .schema(sql: try reader.text())
    case .counter:
      return .counter(
        databaseName: try reader.text(), tableName: try reader.text(), value: try reader.signedNumber())
    case .removedCounter:
      return .counter(databaseName: try reader.text(), tableName: try reader.text(), value: nil)
    case .userVersion:
      let databaseName = try reader.text()
      guard let value = Int32(exactly: try reader.signedNumber()) else { throw reader.failure("version is too large") }
      return .userVersion(databaseName: databaseName, value: value)
    case .notification: return .notification(channel: try reader.text(), payload: try reader.text())
    case .table: throw reader.failure("unknown kind of a change")
    }
  }

  /// The table of a change. If a table was described last, it must be that one.
  private static func changedTable(
    _ reader: inout ByteReader, _ tables: [ChangedTable], _ isNewTable: inout Bool
  ) throws(DecodingError) -> ChangedTable {
    let index = try reader.index(below: tables.count)
    if isNewTable, index != tables.count - 1 { throw reader.failure("table without changes") }
    isNewTable = false
    return tables[index]
  }

  private static func image(
    of table: ChangedTable, _ reader: inout ByteReader
  ) throws(DecodingError) -> ChangedRow.Image {
    let rowID = table.rowID == .none ? 0 : try reader.signedNumber()
    var values: [DatabaseValue] = []
    values.reserveCapacity(table.columnNames.count)
    let rowIDColumn = table.rowIDColumn
    for index in table.columnNames.indices {
      values.append(index == rowIDColumn ? DatabaseValue(.int64(rowID)) : try reader.value())
    }
    return ChangedRow.Image(rowID: rowID, values: values)
  }

  private static func newImage(
    after old: ChangedRow.Image, _ table: ChangedTable, _ reader: inout ByteReader
  ) throws(DecodingError) -> ChangedRow.Image {
    var new = old
    let columnCount = table.columnNames.count
    let changes = try reader.bits(columnCount + (table.rowID == .hidden ? 1 : 0))
    let rowIDIndex = table.rowIDColumn ?? columnCount
    for index in 0..<columnCount + (table.rowID == .hidden ? 1 : 0) where changes[index] {
      if index == rowIDIndex {
        new.rowID = try reader.signedNumber()
        if index < columnCount { new.values[index] = DatabaseValue(.int64(new.rowID)) }
        if new.rowID == old.rowID { throw reader.failure("unchanged row ID") }
      } else {
        let value = try reader.value()
        if value.hasSameBytes(as: old.values[index]) { throw reader.failure("unchanged value") }
        new.values[index] = value
      }
    }
    return new
  }
}
