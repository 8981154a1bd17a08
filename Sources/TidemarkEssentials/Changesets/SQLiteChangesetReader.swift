import FoundationEssentials

/// Reads changesets in SQLite's format, strictly: `Documentation/Changesets.md` lists the rules.
///
/// Invariants:
/// 1. No read leaves the bytes, and no length is believed before as many bytes were seen.
/// 2. Each accepted changeset can have been written by SQLite's session extension, for tables of these schemas.
struct SQLiteChangesetReader {
  typealias Failure = TransactionChanges.DecodingError

  /// The form of a table in the database.
  struct Table {
    let name: String
    let columnNames: [String]

    /// The indexes of the columns of the primary key, in its order.
    let primaryKey: [Int]

    /// The index of the column that is the row ID: its values are integers.
    let rowIDColumn: Int?
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  func failure(_ message: String) -> Failure { Failure(message: message, offset: position) }

  /// Returns the changed rows.
  ///
  /// - Parameter table: Returns the table of a name; nil if there is none.
  mutating func rows(_ table: (String) throws -> Table?) throws -> [ChangedRow] {
    var rows: [ChangedRow] = []
    var names: Set<String> = []
    while position < bytes.count {
      let (name, flags) = try header()
      guard names.insert(name.asciiLowercased).inserted else { throw failure("table \(name) appears twice") }
      guard let known = try table(name) else { throw failure("there is no table \(name)") }
      guard known.columnNames.count == flags.count else {
        throw failure("table \(name) has \(known.columnNames.count) columns, not \(flags.count)")
      }
      let keyIndexes = flags.indices.filter { flags[$0] != 0 }
      guard Set(keyIndexes) == Set(known.primaryKey) else { throw failure("table \(name) has another primary key") }
      var reader = TableReader(known)
      var hasRows = false
      while position < bytes.count, bytes[position] != UInt8(ascii: "T"), bytes[position] != UInt8(ascii: "P") {
        rows.append(try change(&reader))
        hasRows = true
      }
      if !hasRows { throw failure("table without changes") }
    }
    return rows
  }

  // MARK: - Parts

  private mutating func header() throws(Failure) -> (name: String, flags: [UInt8]) {
    switch try byte() {
    case UInt8(ascii: "T"): break
    case UInt8(ascii: "P"): throw failure("patchsets are not supported: they lack old values")
    default: throw failure("a table was expected")
    }
    let count = try length()
    // SQLite's limit is 32,767.
    guard count > 0, count <= 32_767, count <= bytes.count - position else { throw failure("impossible column count") }
    let flags = Array(bytes[position..<position + count])
    position += count
    if flags.allSatisfy({ $0 == 0 }) { throw failure("table without a primary key") }
    guard let end = bytes[position...].firstIndex(of: 0) else { throw failure("the name of a table does not end") }
    let part = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
    guard let name = String(validating: part, as: UTF8.self) else { throw failure("text is not UTF-8") }
    position = end + 1
    return (name, flags)
  }

  private enum Operation: UInt8 {
    case delete = 9
    case insert = 18
    case update = 23
  }

  /// The tables of the changes of a table: updates have only the columns that they contain.
  private struct TableReader {
    let source: Table
    let whole: ChangedTable
    private var parts: [[Int]: ChangedTable] = [:]

    init(_ source: Table) {
      self.source = source
      whole = ChangedTable(
        name: source.name, columnNames: source.columnNames, primaryKey: source.primaryKey, rowID: .none)
    }

    mutating func table(withColumns columns: [Int]) -> ChangedTable {
      if columns.count == source.columnNames.count { return whole }
      if let known = parts[columns] { return known }
      let table = ChangedTable(
        databaseName: "main", name: source.name, columnNames: columns.map { source.columnNames[$0] },
        primaryKey: source.primaryKey.compactMap(columns.firstIndex(of:)), rowID: .none, whole: whole)
      parts[columns] = table
      return table
    }
  }

  private mutating func change(_ reader: inout TableReader) throws(Failure) -> ChangedRow {
    guard let operation = Operation(rawValue: try byte()) else { throw failure("unknown operation") }
    if try byte() > 1 { throw failure("the mark of an indirect change is neither 0 nor 1") }
    let count = reader.source.columnNames.count
    switch operation {
    case .insert:
      return ChangedRow(table: reader.whole, images: .insert(try image(try record(count), reader.source)))
    case .delete:
      return ChangedRow(table: reader.whole, images: .delete(try image(try record(count), reader.source)))
    case .update:
      let (old, new) = (try record(count), try record(count))
      return try update(old, new, &reader)
    }
  }

  private func image(_ record: [DatabaseValue?], _ table: Table) throws(Failure) -> ChangedRow.Image {
    let values = record.compactMap { $0 }
    if values.count < record.count { throw failure("an inserted or deleted row lacks a value") }
    if table.primaryKey.contains(where: { values[$0].isNull }) { throw failure("the primary key is NULL") }
    try checkRowID(values, table)
    return ChangedRow.Image(rowID: 0, values: values)
  }

  private func update(
    _ old: [DatabaseValue?], _ new: [DatabaseValue?], _ reader: inout TableReader
  ) throws(Failure) -> ChangedRow {
    var columns: [Int] = []
    var (oldValues, newValues): ([DatabaseValue], [DatabaseValue]) = ([], [])
    for index in old.indices {
      if reader.source.primaryKey.contains(index) {
        guard let value = old[index], !value.isNull, new[index] == nil else {
          throw failure("an update has no old primary key, or a new one")
        }
        columns.append(index)
        oldValues.append(value)
        newValues.append(value)
      } else if let oldValue = old[index], let newValue = new[index] {
        columns.append(index)
        oldValues.append(oldValue)
        newValues.append(newValue)
      } else if old[index] != nil || new[index] != nil {
        throw failure("an updated column lacks its old or new value")
      }
    }
    if columns.count == reader.source.primaryKey.count { throw failure("an update changes no column") }
    try checkRowID(old, reader.source)
    return ChangedRow(
      table: reader.table(withColumns: columns),
      images: .update(
        old: ChangedRow.Image(rowID: 0, values: oldValues), new: ChangedRow.Image(rowID: 0, values: newValues)))
  }

  private func checkRowID(_ record: [DatabaseValue?], _ table: Table) throws(Failure) {
    guard let index = table.rowIDColumn else { return }
    guard case .int64? = record[index]?.storage else { throw failure("the row ID is not an integer") }
  }

  private mutating func record(_ count: Int) throws(Failure) -> [DatabaseValue?] {
    var values: [DatabaseValue?] = []
    for _ in 0..<count { values.append(try value()) }
    return values
  }

  private mutating func value() throws(Failure) -> DatabaseValue? {
    switch try byte() {
    case 0: return nil
    case 1: return DatabaseValue(.int64(Int64(bitPattern: try fixed())))
    case 2:
      let double = Double(bitPattern: try fixed())
      if double.isNaN { throw failure("REAL is not a number") }
      return DatabaseValue(.double(double))
    case 3:
      let part = UnsafeRawBufferPointer(rebasing: try slice())
      guard let text = String(validating: part, as: UTF8.self) else { throw failure("text is not UTF-8") }
      return DatabaseValue(.string(text))
    case 4: return DatabaseValue(.blob(Data(try slice())))
    case 5: return .null
    default: throw failure("unknown type of a value")
    }
  }

  private mutating func byte() throws(Failure) -> UInt8 {
    guard position < bytes.count else { throw failure("unexpected end") }
    defer { position += 1 }
    return bytes[position]
  }

  /// Eight bytes, the highest first.
  private mutating func fixed() throws(Failure) -> UInt64 {
    guard bytes.count - position >= 8 else { throw failure("unexpected end") }
    defer { position += 8 }
    return bytes[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func slice() throws(Failure) -> Slice<UnsafeRawBufferPointer> {
    let count = try length()
    guard count <= bytes.count - position else { throw failure("length exceeds the bytes") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A number of at most 31 bits: seven bits per byte, the highest first, in as few bytes as possible.
  private mutating func length() throws(Failure) -> Int {
    var number = 0
    for index in 0..<5 {
      let byte = try byte()
      if index == 0, byte == 0x80 { throw failure("number has superfluous bytes") }
      number = number << 7 | Int(byte & 0x7f)
      if byte < 0x80 {
        if number > Int(Int32.max) { break }
        return number
      }
    }
    throw failure("number is too large")
  }
}
