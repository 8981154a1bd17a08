import Testing
import Tidemark

/// Invalid uses of a row, and their error messages.
enum RowTrap: String, CaseIterable, Codable {
  case missingColumn, nullValue, otherType, otherTypeOfOptional, numberOutOfRange, liveRow
  case indexTooLarge, negativeIndex, untypedIndex, nullOfIndex, bytesOfIndex, position

  func run() throws {
    let row = try firstRow("SELECT 'Dune' AS title, NULL AS pages, 256 AS n")
    switch self {
    case .missingColumn: _ = row["missing"] as String
    case .nullValue: _ = row["pages"] as Int
    case .otherType: _ = row["title"] as Int
    case .otherTypeOfOptional: _ = row[0] as Int?
    case .numberOutOfRange: _ = row["n"] as UInt8?
    case .liveRow: try withLiveRow("SELECT NULL AS pages, ? AS id", arguments: [7]) { row in _ = row["pages"] as Int }
    case .indexTooLarge: _ = row[3] as Int?
    case .negativeIndex: _ = row[-1] as Int?
    case .untypedIndex: _ = row[3]
    case .nullOfIndex: _ = row.hasNull(atIndex: 3)
    case .bytesOfIndex: try row.withUnsafeData(atIndex: 3) { _ in }
    case .position: _ = row[row.endIndex]
    }
  }

  var words: [String] {
    let row = #"row: [title:"Dune" pages:NULL n:256]"#
    return switch self {
    case .missingColumn: [#"column not found: "missing""#, row]
    case .nullValue: ["could not decode Int from database value NULL", #"column: "pages", column index: 1"#, row]
    case .otherType: [#"could not decode Int from database value "Dune""#, #"column: "title", column index: 0"#, row]
    case .otherTypeOfOptional: [#"could not decode Optional<Int> from database value "Dune""#, row]
    case .numberOutOfRange: ["could not decode Optional<UInt8> from database value 256", #"column: "n""#, row]
    case .liveRow:
      [
        "could not decode Int from database value NULL", "row: [pages:NULL id:7]",
        "sql: `SELECT NULL AS pages, ? AS id`", "arguments: [7]",
      ]
    default: ["row index out of range"]
    }
  }
}

@Suite struct RowTrapTests {
  @Test(arguments: RowTrap.allCases)
  func mistakesTrapWithAnExplanation(mistake: RowTrap) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      try mistake.run()
    }
    for words in mistake.words { #expect(result.words.contains(words)) }
  }

  @Test func cursorsOutsideTheirAccessTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = try DatabaseQueue()
      let cursor = try queue.inDatabase { db in try Int.fetchCursor(db, sql: "SELECT 1") }
      _ = try cursor.next()
    }
    #expect(result.words.contains("Database was not used on the correct thread"))
  }

  @Test func rowCursorsOutsideTheirAccessTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = try DatabaseQueue()
      let cursor = try queue.inDatabase { db throws in
        let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
        _ = try cursor.next()
        return cursor
      }
      _ = try cursor.next()
    }
    #expect(result.words.contains("Database was not used on the correct thread"))
  }
}
