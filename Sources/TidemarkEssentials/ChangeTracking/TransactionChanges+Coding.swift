// The binary form of the changes of a transaction. `Documentation/ChangeEncoding.md` describes it for programs that
// read it without the library.
//
// Invariants:
// 1. Equal changes have equal bytes, and bytes that can be decoded are those that the changes are encoded as. So bytes
//    can be compared, and a digest of the bytes identifies the changes.
// 2. Decoding throws an error, or returns changes: no bytes make it trap, read beyond their end, or allocate more than
//    a constant multiple of their number.

extension TransactionChanges {
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
}
