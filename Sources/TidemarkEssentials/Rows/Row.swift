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
/// A row is either a window on a running statement, whose content changes with the next step of the cursor, or a copy
/// that retains its values. `copy()` returns a copy.
///
/// Through an adapter, a row can have other columns than the statement. It can also have scopes, which are rows inside
/// the row.
public final class Row {
  @usableFromInline @exclusivity(unchecked) private(set) var window: Window

  /// The properties that change while a window is used.
  @usableFromInline
  struct Window {
    /// The running statement; nil for a copy and for a closed window.
    @usableFromInline var statement: Statement?

    /// The index of the first value. Stored rows share one array: see `StoredRows`.
    @usableFromInline var valuesStart = 0

    /// Rows fetched by other queries.
    var prefetched = PrefetchedRows()

    /// Whether this row is a window on stored rows, or on a scope of them.
    var isStored = false

    /// The windows on the scopes and the prefetched rows of this window.
    var nested: NestedWindows?

    /// How records are decoded from the columns of this window, found by a later module. It is kept with the window.
    var decodingPlan: AnyObject?

    /// The decoder of the rows of this window, created once by a later module.
    ///
    /// It may retain the row. So it is only stored if the caller has promised to call `forgetDecoder`.
    var decoder: (any ReusableDecoder)?

    /// Whether a caller has promised to call `forgetDecoder`.
    var reusesDecoder = false

    init(statement: Statement?) { self.statement = statement }
  }

  /// The running statement; nil for a copy and for a closed window.
  @inlinable var statement: Statement? { window.statement }

  /// The pointer of the statement if columns can be read directly: for a window without adapter and without checks.
  @usableFromInline let directStatement: SQLiteStatement?

  /// The values of a copy, in the order of the statement's columns, from `valuesStart` on.
  @usableFromInline let values: [DatabaseValue]

  /// The columns of the statement.
  @usableFromInline let baseColumns: ColumnNames

  /// The visible columns and the scopes of the adapter, if there is one.
  @usableFromInline let layout: RowLayout?

  /// The checks to perform when values are decoded; nil on most connections.
  @usableFromInline let checking: RowChecking?

  /// The column to try first in the next look-up by name. It is only a guess, so any thread may change it.
  @usableFromInline let hint = Atomic<Int>(0)

  /// Rows fetched by other queries.
  var prefetched: PrefetchedRows {
    get { window.prefetched }
    set { window.prefetched = newValue }
  }

  var nestedWindows: NestedWindows? { window.nested }

  /// How records are decoded from the columns of this window. It does not retain the row.
  var decodingPlan: AnyObject? {
    get { window.decodingPlan }
    set { window.decodingPlan = newValue }
  }

  var reusableDecoder: (any ReusableDecoder)? { window.decoder }

  /// Whether a caller has promised to call `forgetDecoder`.
  var reusesDecoder: Bool {
    get { window.reusesDecoder }
    set { window.reusesDecoder = newValue }
  }

  /// Whether the row was fetched, and not created from values.
  let isFetched: Bool

  /// Creates a window on a statement.
  init(statement: Statement, layout: RowLayout? = nil) {
    window = Window(statement: statement)
    checking = statement.makeRowChecking()
    isFetched = true
    self.directStatement = layout == nil && checking == nil ? statement.sqliteStatement : nil
    self.values = []
    self.baseColumns = statement.columns
    self.layout = layout
  }

  /// Creates a row from values.
  init(columns: ColumnNames, values: [DatabaseValue]) {
    window = Window(statement: nil)
    self.directStatement = nil
    checking = nil
    isFetched = false
    self.values = values
    self.baseColumns = columns
    self.layout = nil
  }

  /// Creates a row of stored rows.
  init(_ rows: StoredRows, at index: Int, isWindow: Bool) {
    window = Window(statement: nil)
    directStatement = nil
    checking = rows.checking
    isFetched = true
    values = rows.values
    window.valuesStart = index * rows.columns.count
    baseColumns = rows.columns
    layout = rows.layout
    window.prefetched = PrefetchedRows(tree: rows.prefetched, index: index)
    window.isStored = isWindow
  }

  /// Creates a copy of a row.
  private init(_ base: Row, values: [DatabaseValue]) {
    window = Window(statement: nil)
    self.directStatement = nil
    checking = base.checking
    isFetched = base.isFetched
    self.values = values
    self.baseColumns = base.baseColumns
    self.layout = base.layout
  }

  /// Creates a row with the same data, another layout, and the given prefetched rows.
  init(_ base: Row, layout: RowLayout?, prefetched: PrefetchedRows = PrefetchedRows()) {
    window = Window(statement: base.statement)
    window.prefetched = prefetched
    checking = base.checking
    isFetched = base.isFetched
    self.directStatement = layout == nil && checking == nil ? base.statement?.sqliteStatement : nil
    self.values = base.values
    window.valuesStart = base.window.valuesStart
    self.baseColumns = base.baseColumns
    self.layout = layout
  }

  /// Moves a window on stored rows to another row.
  @usableFromInline
  func move(to index: Int) {
    assert(window.isStored)
    window.valuesStart = index * baseColumns.count
    window.prefetched.index = index
  }

  /// Makes the row of a scope a window, which follows the window that contains the scope.
  func becomeWindow() {
    window.isStored = statement == nil
    window.reusesDecoder = true
  }

  /// Moves the window of a scope to the current row of the window that contains the scope.
  func follow(_ row: Row) {
    window.valuesStart = row.window.valuesStart
    window.prefetched.index = row.window.prefetched.index
  }

  /// Closes an unused window and the windows inside it, which releases their statement.
  ///
  /// - Returns: Whether the window can be reopened.
  func close() -> Bool {
    window.statement = nil
    window.nested?.close()
    return window.prefetched.isEmpty
  }

  /// Reopens a window, and those inside it, on their former statement.
  ///
  /// - Returns: Whether the statement still has the columns of the row.
  func reopen(on statement: Statement) -> Bool {
    guard statement.isKnownToHave(baseColumns) else { return false }
    window.statement = statement
    window.nested?.reopen(on: statement)
    return true
  }

  /// Stores the decoder of the rows of this window, if this is allowed.
  func keep(decoder: any ReusableDecoder) {
    if window.reusesDecoder { window.decoder = decoder }
  }

  /// Returns the windows inside this window. They are created by the first call.
  func storeNestedWindows() -> NestedWindows {
    if let nested = window.nested { return nested }
    let windows = NestedWindows()
    window.nested = windows
    return windows
  }

  /// Releases the decoders of this window and of those inside it, and discards the latter.
  @usableFromInline
  func forgetDecoder() {
    releaseDecoders()
    window.nested = nil
  }

  /// Releases the decoders of this window and of those inside it.
  func releaseDecoders() {
    window.reusesDecoder = false
    window.nested?.releaseDecoders()
    guard let decoder = window.decoder else { return }
    window.decoder = nil
    decoder.releaseReferences()
  }

  /// Creates a row without columns.
  public convenience init() {
    self.init(columns: .none, values: [])
  }

  /// The visible columns.
  @inlinable
  var columns: ColumnNames { layout?.columns ?? baseColumns }

  /// The number of columns.
  @inlinable
  public var count: Int { columns.count }

  /// The names of the columns, from left to right.
  public var columnNames: [String] { columns.names }

  /// The values of the columns, from left to right.
  public var databaseValues: [DatabaseValue] { (0..<count).map { databaseValue(at: $0) } }

  /// Returns whether a column of the given name exists. Names are compared case-insensitively.
  ///
  /// - Parameter columnName: The name of a column.
  public func hasColumn(_ columnName: String) -> Bool { columns.index(of: columnName) != nil }

  /// Returns the column of the statement for a column of the row.
  @inlinable
  func baseIndex(_ index: Int) -> Int { layout?.mapping[index] ?? index }

  /// Returns the stored value of a column. A text that the connection refuses is returned as a blob, because this
  /// method cannot throw.
  func databaseValue(at index: Int) -> DatabaseValue {
    let baseIndex = baseIndex(index)
    guard let statement else { return values[window.valuesStart + baseIndex] }
    return storedValue(statement.sqliteStatement, baseIndex)
  }

  /// Returns the value of a column of the statement, or throws the error of a column that could not be read.
  func storedValue(at baseIndex: Int) throws -> DatabaseValue {
    guard let statement else { return values[window.valuesStart + baseIndex] }
    guard let value = DatabaseValue.read(statement.sqliteStatement, CInt(baseIndex)) else {
      throw unreadable(DatabaseValue.self, baseIndex: baseIndex)
    }
    return value
  }

  private func storedValue(_ pointer: SQLiteStatement, _ baseIndex: Int) -> DatabaseValue {
    guard let value = DatabaseValue.readWithoutRefusal(pointer, CInt(baseIndex)) else {
      fatalError("\(unreadable(DatabaseValue.self, baseIndex: baseIndex))")
    }
    return value
  }

  /// Returns whether a column is NULL, without decoding its value.
  ///
  /// - Parameter index: The index of a column.
  /// - Precondition: The index is valid.
  public func hasNull(atIndex index: Int) -> Bool {
    preconditionIndex(index)
    guard let statement else { return values[window.valuesStart + baseIndex(index)].isNull }
    return columnIsNull(statement.sqliteStatement, CInt(baseIndex(index)))
  }

  @inlinable
  func preconditionIndex(_ index: Int) {
    if index < 0 || index >= count { indexIsOutOfRange(index) }
  }

  // Not inlined: the message would be built in each caller.
  @usableFromInline
  func indexIsOutOfRange(_ index: Int) -> Never {
    preconditionFailure("row index out of range: \(index), in a row of \(count) columns")
  }

  /// Returns a row that retains its values when the statement is stepped. For a copy, this is the row itself.
  ///
  /// If a text is not UTF-8 and the connection refuses it (see `Configuration.invalidTextPolicy`), the copy contains a
  /// blob, which does not decode as text either. `Row.fetchAll` and similar methods, whose rows are copies, throw
  /// instead.
  ///
  /// - Precondition: SQLite has enough memory for all values.
  public func copy() -> Row {
    guard let statement else { return storedCopy }
    let pointer = statement.sqliteStatement
    return copy(with: (0..<baseColumns.count).map { storedValue(pointer, $0) })
  }

  /// Returns a copy, or throws the error of a column that could not be read (invariant D7).
  @usableFromInline
  func checkedCopy() throws -> Row {
    guard let statement else { return storedCopy }
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

  /// A row that keeps its values, for a row without statement.
  private var storedCopy: Row { window.isStored ? Row(self, layout: layout, prefetched: prefetched) : self }

  private func copy(with values: [DatabaseValue]) -> Row {
    let copy = Row(self, values: values)
    if !window.prefetched.isEmpty { copy.window.prefetched = window.prefetched }
    return copy
  }
}

@available(*, unavailable)
extension Row: Sendable {}

/// A decoder for the rows of a window.
protocol ReusableDecoder: AnyObject {
  /// Releases the objects that retain the decoder.
  func releaseReferences()
}

extension Row: Hashable {
  /// Returns whether two rows have equal columns, values, scopes and prefetched rows. Names are case-sensitive. A
  /// fetched row can be equal to a row created from values.
  public static func == (lhs: Row, rhs: Row) -> Bool {
    if lhs === rhs { return true }
    guard lhs.columnNames == rhs.columnNames, lhs.databaseValues == rhs.databaseValues else { return false }
    let names = lhs.scopes.names
    guard names == rhs.scopes.names, names.allSatisfy({ lhs.scopes[$0] == rhs.scopes[$0] }) else { return false }
    return lhs.prefetched == rhs.prefetched
  }

  /// Hashes the columns and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(columnNames)
    hasher.combine(databaseValues)
  }
}
