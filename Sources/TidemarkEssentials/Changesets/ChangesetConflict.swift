/// A change that cannot be applied, because the database is not as the changeset expects.
///
/// It is passed to the closure of `apply(_:triggers:foreignKeys:schemaChanges:onConflict:)`, and thrown if the
/// resolution is ``Resolution/abort``.
public struct ChangesetConflict: Error, CustomStringConvertible {
  /// The kind of a conflict.
  public enum Kind: Sendable, Hashable {
    /// The row to update or delete does not exist.
    case rowMissing

    /// The row to update or delete has other values than the changeset expects.
    case rowDiffers

    /// A row with the identity of the row to insert exists.
    case rowExists

    /// Another row has a value that must be unique.
    case uniqueValueExists

    /// Another constraint is violated: `NOT NULL`, `CHECK`, the type of a strict table, or `RAISE` in a trigger.
    case constraint

    /// After all changes, a row refers to a missing row.
    case foreignKey
  }

  /// What happens to a change that conflicts.
  public enum Resolution: Sendable, Hashable {
    /// All changes are undone, and the conflict is thrown.
    case abort

    /// The change is left out. A violated foreign key remains violated.
    case skip

    /// The change is applied anyway: a row that differs is updated or deleted, a missing row that is to be updated is
    /// inserted, and rows that exist are replaced. A missing row that is to be deleted is left out.
    ///
    /// This is impossible for the kinds ``Kind/constraint`` and ``Kind/foreignKey``: the conflict is thrown.
    case replace
  }

  /// The kind of the conflict.
  public let kind: Kind

  /// The change; nil if a row that is not part of the changeset violates a foreign key.
  public let change: ChangedRow?

  /// What SQLite has reported, or the violated foreign key; nil if rows are missing or differ.
  public let message: String?

  private let current: (columns: ColumnNames, values: [DatabaseValue])?

  init(_ kind: Kind, _ change: ChangedRow?, current: (ColumnNames, [DatabaseValue])? = nil, message: String? = nil) {
    (self.kind, self.change, self.message) = (kind, change, message)
    self.current = current
  }

  /// The row that conflicts, as it is now in the database: its stored columns. Nil if there is none, or if it is not
  /// known.
  public var currentRow: Row? { current.map { Row(columns: $0.columns, values: $0.values) } }

  /// The kind of the conflict, the change, and the current row.
  public var description: String {
    var text =
      switch kind {
      case .rowMissing: "the row does not exist"
      case .rowDiffers: "the row differs from the expected one"
      case .rowExists: "the row exists already"
      case .uniqueValueExists: "another row has a value that must be unique"
      case .constraint: "a constraint is violated"
      case .foreignKey: "a foreign key is violated"
      }
    if let message { text += " (\(message))" }
    if let change { text += ", in \(change)" }
    if let current {
      let values = zip(current.columns.names, current.values).map { "\($0) \($1)" }
      text += "; the current row is \(values.joined(separator: ", "))"
    }
    return text
  }
}
