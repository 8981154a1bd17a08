public import FoundationEssentials

// The decoder of the binary form of the changes of a transaction: see `TransactionChanges+Coding.swift`.

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
    var tables = DecodedTables()
    self = try bytes.withUnsafeBytes { try TransactionChanges($0, &tables) }
  }

  /// The tables of decoded changes.
  struct DecodedTables {
    /// The table that was decoded last, perhaps in earlier changes, and its description.
    fileprivate var last: (table: ChangedTable, description: [UInt8])?

    /// The tables of the changes that are being decoded. The storage is used again for later changes.
    fileprivate var all: [ChangedTable] = []

    /// The same tables, if there are several.
    fileprivate var known: Set<ChangedTable> = []

    /// Whether the last table has no change yet. A table is described immediately before its first change.
    fileprivate var isNew = false

    fileprivate mutating func begin() {
      all.removeAll(keepingCapacity: true)
      known = []
      isNew = false
    }
  }

  /// Decodes one of several changes, which often concern the same table.
  ///
  /// - Parameter tables: The tables of the changes that were decoded before. Decoding a description takes longer than
  ///   decoding a row (Benchmarks: `feed`, the replay of entries with one row).
  init(_ bytes: UnsafeRawBufferPointer, _ tables: inout DecodedTables) throws(DecodingError) {
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
    tables.begin()
    while !reader.isAtEnd {
      let tag = try Self.tag(&reader)
      if tag == .table {
        if tables.isNew { throw reader.failure("table without changes") }
        let table = try Self.table(&reader, &tables.last)
        // Most changes concern one table, and need no set.
        if !tables.all.isEmpty {
          if tables.known.isEmpty { tables.known = Set(tables.all) }
          guard tables.known.insert(table).inserted else { throw reader.failure("table is described twice") }
        }
        tables.all.append(table)
        tables.isNew = true
        continue
      }
      if tag == .notification { hasNotifications = true }
      elements.append(try Self.element(tag, &reader, &tables))
      if tables.isNew { throw reader.failure("table without changes") }
    }
    if tables.isNew { throw reader.failure("table without changes") }
    if flags.contains(.hasNotifications) != hasNotifications { throw reader.failure("wrong flag of notifications") }
  }

  private static func flags(_ reader: inout ByteReader) throws(DecodingError) -> Flags {
    let flags = Flags(rawValue: try reader.byte())
    if !flags.isSubset(of: .all) { throw reader.failure("unknown flags") }
    return flags
  }

  /// Whether encoded changes contain notifications; true if they are malformed. Their elements are not decoded.
  static func mayHaveNotifications(encoded bytes: some ContiguousBytes) -> Bool {
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
    _ reader: inout ByteReader, _ last: inout (table: ChangedTable, description: [UInt8])?
  ) throws(DecodingError) -> ChangedTable {
    if let last, reader.skip(last.description) { return last.table }
    let start = reader.position
    let table = try table(&reader)
    last = (table, Array(reader.bytes(since: start)))
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
    _ tag: Tag, _ reader: inout ByteReader, _ tables: inout DecodedTables
  ) throws(DecodingError) -> Element {
    switch tag {
    case .insert:
      let table = try changedTable(&reader, &tables)
      return .row(ChangedRow(table: table, images: .insert(try image(of: table, &reader))))
    case .delete:
      let table = try changedTable(&reader, &tables)
      return .row(ChangedRow(table: table, images: .delete(try image(of: table, &reader))))
    case .update:
      let table = try changedTable(&reader, &tables)
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
    _ reader: inout ByteReader, _ tables: inout DecodedTables
  ) throws(DecodingError) -> ChangedTable {
    let index = try reader.index(below: tables.all.count)
    if tables.isNew, index != tables.all.count - 1 { throw reader.failure("table without changes") }
    tables.isNew = false
    return tables.all[index]
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
