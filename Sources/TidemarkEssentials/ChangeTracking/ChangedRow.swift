/// The change of a row: see ``TransactionChanges``.
///
/// ```swift
/// func describe(_ change: ChangedRow) {
///   switch change.operation {
///   case .insert: print("new row", change.newValues ?? [])
///   case .update: print("changed columns", change.changedColumnNames, "of", change.oldIdentity ?? .rowID(0))
///   case .delete: print("removed row", change.oldRow?["name"] as String? ?? "")
///   }
/// }
/// ```
///
/// Values are those that are stored: the integer 1 and the double 1.0 are different.
public struct ChangedRow: Sendable {
  /// The kind of a change.
  public enum Operation: UInt8, Sendable, Hashable, CaseIterable {
    /// The row was inserted.
    case insert = 1

    /// The row was updated.
    case update = 2

    /// The row was deleted.
    case delete = 3
  }

  /// What identifies a row in its table.
  public enum Identity: Sendable, Hashable {
    /// The row ID.
    case rowID(Int64)

    /// The values of the primary key, in its order, of a table `WITHOUT ROWID`.
    case primaryKey([DatabaseValue])
  }

  /// The table of the row.
  public let table: ChangedTable

  /// The kind of the change.
  public var operation: Operation {
    switch images {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }

  /// The values of one state of the row.
  struct Image: Sendable {
    /// The row ID; zero in a table without row IDs.
    var rowID: Int64

    /// The values of all stored columns. The alias of the row ID has the row ID as its value.
    var values: [DatabaseValue]
  }

  /// The states of the row before and after the change.
  enum Images: Sendable {
    case insert(Image)
    case update(old: Image, new: Image)
    case delete(Image)
  }

  let images: Images

  init(table: ChangedTable, images: Images) {
    self.table = table
    self.images = images
  }

  var oldImage: Image? {
    switch images {
    case .insert: nil
    case .update(let old, _), .delete(let old): old
    }
  }

  private var newImage: Image? {
    switch images {
    case .delete: nil
    case .update(_, let new), .insert(let new): new
    }
  }

  // MARK: - Values

  /// The identity of the row before the change; nil if it was inserted.
  public var oldIdentity: Identity? { oldImage.map(identity) }

  /// The identity of the row after the change; nil if it was deleted.
  public var newIdentity: Identity? { newImage.map(identity) }

  /// The values of the stored columns before the change, in the order of `table.columnNames`; nil if the row was
  /// inserted.
  public var oldValues: [DatabaseValue]? { oldImage?.values }

  /// The values of the stored columns after the change, in the order of `table.columnNames`; nil if the row was
  /// deleted.
  public var newValues: [DatabaseValue]? { newImage?.values }

  /// The values before the change, as a row; nil if the row was inserted.
  public var oldRow: Row? { oldImage.map(row) }

  /// The values after the change, as a row; nil if the row was deleted.
  public var newRow: Row? { newImage.map(row) }

  /// The names of the columns whose values have changed: all columns of an inserted or deleted row.
  public var changedColumnNames: [String] {
    guard case .update(let old, let new) = images else { return table.columnNames }
    return table.columnNames.indices
      .filter { !old.values[$0].hasSameBytes(as: new.values[$0]) }
      .map { table.columnNames[$0] }
  }

  private func identity(of image: Image) -> Identity {
    table.rowID != .none ? .rowID(image.rowID) : .primaryKey(table.primaryKey.map { image.values[$0] })
  }

  private func row(of image: Image) -> Row {
    Row(columns: table.columns, values: image.values)
  }

  /// The change that undoes this one:
  ///
  /// ```swift
  /// func undoing(_ transaction: TransactionChanges) -> [ChangedRow] {
  ///   transaction.rows.reversed().map(\.inverted)
  /// }
  /// ```
  ///
  /// An insertion becomes a deletion, and old values become new ones.
  public var inverted: ChangedRow {
    switch images {
    case .insert(let new): ChangedRow(table: table, images: .delete(new))
    case .update(let old, let new): ChangedRow(table: table, images: .update(old: new, new: old))
    case .delete(let old): ChangedRow(table: table, images: .insert(old))
    }
  }
}

extension ChangedRow: Hashable {
  /// Returns whether two changes are equal, with the storage classes of their values.
  public static func == (lhs: ChangedRow, rhs: ChangedRow) -> Bool {
    guard lhs.table == rhs.table else { return false }
    return switch (lhs.images, rhs.images) {
    case (.insert(let lhs), .insert(let rhs)), (.delete(let lhs), .delete(let rhs)): lhs.isIdentical(to: rhs)
    case (.update(let lhsOld, let lhsNew), .update(let rhsOld, let rhsNew)):
      lhsOld.isIdentical(to: rhsOld) && lhsNew.isIdentical(to: rhsNew)
    default: false
    }
  }

  /// Hashes the table, the operation and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    hasher.combine(operation)
    hasher.combine(oldValues)
    hasher.combine(newValues)
  }
}

extension ChangedRow.Image {
  func isIdentical(to other: ChangedRow.Image) -> Bool {
    rowID == other.rowID && values.elementsEqual(other.values) { $0.hasSameBytes(as: $1) }
  }
}

extension ChangedRow: CustomStringConvertible {
  /// The change on one line: `UPDATE player [1]: score 10 → 20`.
  public var description: String {
    let verb = String(describing: operation).uppercased()
    let lastImage =
      switch images {
      case .insert(let image), .update(_, let image), .delete(let image): image
      }
    let identity =
      switch identity(of: lastImage) {
      case .rowID(let rowID): "\(rowID)"
      case .primaryKey(let values): values.map(\.description).joined(separator: ", ")
      }
    let values = table.columnNames.enumerated().compactMap { index, name -> String? in
      switch images {
      case .insert(let image), .delete(let image): return "\(name) \(image.values[index])"
      case .update(let old, let new):
        if old.values[index].hasSameBytes(as: new.values[index]) { return nil }
        return "\(name) \(old.values[index]) → \(new.values[index])"
      }
    }
    return "\(verb) \(table) [\(identity)]: \(values.joined(separator: ", "))"
  }
}
