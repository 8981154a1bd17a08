public import Synchronization

/// A row of a result.
///
/// ```swift
/// if let row = try Row.fetchOne(db, sql: "SELECT id, title FROM book") {
///   let id: Int64 = row["id"]
///   let title: String = row[1]
/// }
/// ```
///
/// A row is either a window on a running statement (what a cursor shows: the next step shows another
/// row through the same object), or a copy that keeps its values. `copy()` makes the latter of the
/// former.
///
/// Seen through an adapter, a row shows other columns than those of the statement, and may have scopes:
/// rows inside the row.
public final class Row {
  /// The running statement, or nil when this row is a copy, or a window that is closed.
  @usableFromInline @exclusivity(unchecked) private(set) var statement: Statement?

  /// The statement's pointer when columns can be read straight from it: no copy, no adapter, nothing to mind.
  @usableFromInline let directStatement: SQLiteStatement?

  /// The values of a copy, in the order of the statement's columns.
  @usableFromInline let values: [DatabaseValue]

  /// The columns of the statement.
  @usableFromInline let baseColumns: ColumnNames

  /// The columns that show, and the scopes, when there is an adapter.
  @usableFromInline let layout: RowLayout?

  /// What is minded when values are read; nil on most connections.
  @usableFromInline let checking: RowChecking?

  /// The column that the next look-up by name tries first. Only a guess, so any thread may change it.
  @usableFromInline let hint = Atomic<Int>(0)

  /// Rows loaded by other queries, by name. Not made by a literal, which would be a call for each row.
  @exclusivity(unchecked) var prefetched: [String: [Row]] = Dictionary()

  /// What decodes the rows that show through this window: a later module makes it once for all of them.
  ///
  /// It may hold the row. So there is one only as long as somebody has promised to call `forgetDecoder`.
  @exclusivity(unchecked) private(set) var reusableDecoder: (any ReusableDecoder)?

  /// Whether somebody has promised it.
  @exclusivity(unchecked) var reusesDecoder = false

  /// Whether the row comes from a statement: it is no literal.
  let isFetched: Bool

  /// A window on a statement.
  init(statement: Statement, layout: RowLayout? = nil) {
    self.statement = statement
    checking = statement.makeRowChecking()
    isFetched = true
    self.directStatement = layout == nil && checking == nil ? statement.sqliteStatement : nil
    self.values = []
    self.baseColumns = statement.columns
    self.layout = layout
  }

  /// A row that is made from values.
  init(columns: ColumnNames, values: [DatabaseValue]) {
    self.statement = nil
    self.directStatement = nil
    checking = nil
    isFetched = false
    self.values = values
    self.baseColumns = columns
    self.layout = nil
  }

  /// A copy of a row.
  private init(_ base: Row, values: [DatabaseValue]) {
    self.statement = nil
    self.directStatement = nil
    checking = base.checking
    isFetched = base.isFetched
    self.values = values
    self.baseColumns = base.baseColumns
    self.layout = base.layout
  }

  /// The same data, through another layout.
  init(_ base: Row, layout: RowLayout?) {
    self.statement = base.statement
    checking = base.checking
    isFetched = base.isFetched
    self.directStatement = layout == nil && checking == nil ? base.statement?.sqliteStatement : nil
    self.values = base.values
    self.baseColumns = base.baseColumns
    self.layout = layout
  }

  /// Closes a window that nobody looks through any more. It does not hold the statement then.
  ///
  /// - returns: Whether it may be opened again.
  func close() -> Bool {
    statement = nil
    return prefetched.isEmpty
  }

  /// Opens a window again, on the statement that it was on.
  ///
  /// - returns: Whether it shows the columns of today.
  func reopen(on statement: Statement) -> Bool {
    guard statement.isKnownToHave(baseColumns) else { return false }
    self.statement = statement
    return true
  }

  /// Keeps what decodes the rows of this window, if it may.
  func keep(decoder: any ReusableDecoder) {
    if reusesDecoder { reusableDecoder = decoder }
  }

  func forgetDecoder() {
    reusesDecoder = false
    guard let decoder = reusableDecoder else { return }
    reusableDecoder = nil
    decoder.releaseReferences()
  }

  /// A row without columns.
  public convenience init() {
    self.init(columns: .none, values: [])
  }

  /// The columns that show.
  @inlinable
  var columns: ColumnNames { layout?.columns ?? baseColumns }

  /// The number of columns.
  @inlinable
  public var count: Int { columns.count }

  /// The names of the columns, from left to right.
  public var columnNames: [String] { columns.names }

  /// The values, from left to right.
  public var databaseValues: [DatabaseValue] { (0..<count).map { databaseValue(at: $0) } }

  /// Whether there is a column of that name. Case does not count.
  public func hasColumn(_ columnName: String) -> Bool { columns.index(of: columnName) != nil }

  /// Where a column of the row is in the statement.
  @inlinable
  func baseIndex(_ index: Int) -> Int { layout?.mapping[index] ?? index }

  /// The value of a column, as it is stored. A text that the connection refuses is a blob: nobody can throw here.
  func databaseValue(at index: Int) -> DatabaseValue {
    let baseIndex = baseIndex(index)
    guard let statement else { return values[baseIndex] }
    return storedValue(statement.sqliteStatement, baseIndex)
  }

  private func storedValue(_ pointer: SQLiteStatement, _ baseIndex: Int) -> DatabaseValue {
    guard let value = DatabaseValue.readWithoutRefusal(pointer, CInt(baseIndex)) else {
      fatalError("\(unreadable(DatabaseValue.self, baseIndex: baseIndex))")
    }
    return value
  }

  /// Whether the column is NULL, without reading it.
  ///
  /// - precondition: The index is that of a column.
  public func hasNull(atIndex index: Int) -> Bool {
    preconditionIndex(index)
    guard let statement else { return values[baseIndex(index)].isNull }
    return columnIsNull(statement.sqliteStatement, CInt(baseIndex(index)))
  }

  @inlinable
  func preconditionIndex(_ index: Int) {
    precondition(index >= 0 && index < count, "row index out of range")
  }

  /// A row that keeps its values when the statement moves on. A copy answers itself.
  ///
  /// A text that is not UTF-8, and that the connection refuses (see `Configuration.invalidTextPolicy`), is a blob in
  /// the copy: it does not decode as a text there, either. `Row.fetchAll` and its siblings, whose rows are copies,
  /// throw.
  ///
  /// - precondition: SQLite has the memory to give all values.
  public func copy() -> Row {
    guard let statement else { return self }
    let pointer = statement.sqliteStatement
    return copy(with: (0..<baseColumns.count).map { storedValue(pointer, $0) })
  }

  /// A copy, or the error of the column that could not be read (invariant D7).
  @usableFromInline
  func checkedCopy() throws -> Row {
    guard let statement else { return self }
    let pointer = statement.sqliteStatement
    let count = baseColumns.count
    let values = try [DatabaseValue](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      for index in 0..<count {
        guard let value = DatabaseValue.read(pointer, CInt(index)) else {
          throw unreadable(DatabaseValue.self, baseIndex: index)
        }
        buffer.initializeElement(at: index, to: value)
        initializedCount = index + 1
      }
    }
    return copy(with: values)
  }

  private func copy(with values: [DatabaseValue]) -> Row {
    let copy = Row(self, values: values)
    if !prefetched.isEmpty { copy.prefetched = prefetched }
    return copy
  }
}

@available(*, unavailable)
extension Row: Sendable {}

/// What decodes the rows that show through a window.
protocol ReusableDecoder: AnyObject {
  /// Lets go of what holds the decoder.
  func releaseReferences()
}
