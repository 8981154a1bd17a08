import Testing

@Suite struct RoomOrderTests {
  static let library = SourceTree.swiftFiles(in: SourceTree.library)

  @Test func everyFileStandsInARoomOfThePlan() {
    report(Rooms.strays(in: Self.library))
  }

  @Test func aRoomKnowsOnlyTheRoomsBeforeIt() {
    report(Rooms.violations(in: Self.library))
  }

  @Test func theDialectHasRoomsOfItsOwn() {
    let files = SourceTree.swiftFiles(in: SourceTree.dialect)
    #expect(!files.isEmpty)
    report(Rooms.strays(in: files, order: Rooms.dialectOrder))
    report(Rooms.violations(in: files, order: Rooms.dialectOrder))
  }

  // MARK: - The checks can fail

  @Test func aFileOutsideOfTheRoomsIsFound() {
    let files = [
      sample("Engine/A.swift"), sample("B.swift"), sample("Cellar/C.swift"), sample("PackageDoors.swift"),
      SourceFile(path: "Sources/Other/D.swift", text: ""),
    ]
    #expect(
      Rooms.strays(in: Array(files[..<4])).map(\.path) == [
        "Sources/TidemarkEssentials/B.swift", "Sources/TidemarkEssentials/Cellar/C.swift",
      ])
  }

  @Test func aTypeOfALaterRoomIsFound() {
    let files = [
      sample("Engine/Handle.swift", "struct Handle {\n  // Row\n  let text = \"Row\"\n  var row: Row?\n}"),
      sample("Rows/Row.swift", "public final class Row {\n  let handle: Handle\n}"),
    ]
    #expect(
      Rooms.violations(in: files) == [
        Finding(
          path: "Sources/TidemarkEssentials/Engine/Handle.swift", line: 4,
          message: "Engine comes before Rows, so it must not know Row")
      ])
  }

  @Test(arguments: [
    "let kind = Kind.Row.self", "protocol P {\n  associatedtype Row\n  func f(_: Row)\n}", "// Row",
    "let row = \"Row\"",
    "struct Rower {}", "struct Row {}\nlet row: Row",
  ])
  func anotherThingOfThatNameIsNotTheType(code: String) {
    let files = [sample("Engine/A.swift", code), sample("Rows/Row.swift", "public struct Row {}")]
    #expect(Rooms.violations(in: files).isEmpty)
  }

  @Test func aPrivateTypeOfALaterRoomIsNobodysBusiness() {
    let files = [
      sample("Engine/A.swift", "func f(_: State) {}"), sample("Rows/B.swift", "private enum State {}"),
      sample("Rows/C.swift", "extension Row {\n  struct State {}\n}"),
    ]
    #expect(Rooms.violations(in: files).isEmpty)
  }

  private func sample(_ path: String, _ text: String = "") -> SourceFile {
    SourceFile(path: "\(SourceTree.library)/\(path)", text: text)
  }
}
