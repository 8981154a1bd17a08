import Testing

import Tidemark
@testable import TidemarkEssentials

/// Which columns an update has changed.
@Suite struct CaptureLayoutTests {
  private func moved(from old: Int64, to new: Int64, changing columns: UInt64 = 0) -> ChangeRecord {
    ChangeRecord(kind: .update, oldRowID: old, newRowID: new, changedColumns: columns)
  }

  @Test(arguments: [nil, "id"]) func `a new row ID changes its column`(rowIDColumn: String?) {
    let layout = CaptureLayout.ofTable("book", ["title"], rowIDColumn: rowIDColumn)
    let name = rowIDColumn ?? RowFilter.rowIDName
    #expect(layout.mayHaveChanged([name], moved(from: 1, to: 2)))
    #expect(!layout.mayHaveChanged(["title"], moved(from: 1, to: 2)))
    #expect(!layout.mayHaveChanged([name], moved(from: 1, to: 1)))
    #expect(layout.changedColumns(moved(from: 1, to: 2)) == [name])
  }

  @Test func `an update changes the columns that differ`() {
    let layout = CaptureLayout.ofTable("book", ["title", "pages"])
    #expect(layout.mayHaveChanged(["pages"], moved(from: 1, to: 1, changing: 0b10)))
    #expect(!layout.mayHaveChanged(["title"], moved(from: 1, to: 1, changing: 0b10)))
  }
}
