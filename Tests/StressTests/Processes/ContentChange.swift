import Foundation
import Tidemark
@testable import TidemarkEssentials

/// A change of the content of a database.
enum ContentChange {
  case row(RowChange)

  /// The changed rows are not known.
  case table(TableKey)

  /// Anything may have changed.
  case everything

  func modifies(_ region: DatabaseRegion) -> Bool {
    switch self {
    case .row(let change): region.isModified(by: change)
    case .table(let table): region.overlaps(table)
    case .everything: true
    }
  }

  /// The changes that the feed contains after an entry: also those that other transactions have undone.
  ///
  /// - Parameter coarseTables: The tables that only change as a whole, as far as live queries are concerned.
  static func stored(after entry: Int64, coarseTables: Set<TableKey>, _ db: Database) throws -> [ContentChange] {
    let entries = try Data.fetchAll(
      db, sql: "SELECT changes FROM tidemark_feed WHERE id > ? ORDER BY id", arguments: [entry])
    return try entries.flatMap { bytes in
      try TransactionChanges(decoding: Array(bytes)).elements.compactMap { element in
        switch element {
        case .row(let row):
          let key = TableKey(row.table.name)
          return coarseTables.contains(key) ? .table(key) : .row(RowChange(row))
        case .unknownRows(_, let table): return .table(TableKey(table))
        case .schema, .userVersion: return .everything
        case .counter, .notification: return nil
        }
      }
    }
  }
}

extension RowChange {
  fileprivate init(_ row: ChangedRow) {
    let names = row.table.columnNames.map { $0.lowercased() }
    func image(_ image: ChangedRow.Image) -> RowImage {
      let values = Dictionary(zip(names, image.values)) { first, _ in first }
      return RowImage(rowID: row.table.rowID == .none ? nil : image.rowID, values: values)
    }
    let table = TableKey(row.table.name)
    switch row.images {
    case .insert(let new): self.init(table: table, kind: .insert, old: nil, new: image(new), changedColumns: nil)
    case .delete(let old): self.init(table: table, kind: .delete, old: image(old), new: nil, changedColumns: nil)
    case .update(let old, let new):
      var changed = Set(row.changedColumnNames.map { $0.lowercased() })
      if old.rowID != new.rowID { changed.insert(RowFilter.rowIDName) }
      self.init(table: table, kind: .update, old: image(old), new: image(new), changedColumns: changed)
    }
  }
}
