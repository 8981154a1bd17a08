import Testing

@testable import Demo

@Suite struct GridTests {
  private func grid(_ width: Int, _ texts: [(String, x: Int)]) -> Grid {
    var grid = Grid(width: width, height: 1)
    for (text, x) in texts { grid.put(text, .text, at: Point(x: x, y: 0), before: width) }
    return grid
  }

  @Test func textIsClippedAtTheEdge() {
    #expect(grid(4, [("abcdef", x: 1)]).lines == [" abc"])
  }

  @Test func wideCharactersAreNotSplit() {
    let grid = grid(4, [("a日日", x: 0)])
    #expect(grid.lines == ["a日"])
    #expect(grid[2, 0].character == nil)
    #expect(grid[3, 0].character == " ")
  }

  @Test func overwritingHalfOfAWideCharacterBlanksTheOtherHalf() {
    #expect(grid(4, [("日本", x: 0), ("x", x: 1)]).lines == [" x本"])
    #expect(grid(4, [("日本", x: 0), ("x", x: 2)]).lines == ["日x"])
    #expect(grid(4, [("日本", x: 0), ("語", x: 1)]).lines == [" 語"])
  }

  @Test func writesOutsideTheGridAreIgnored() {
    var grid = Grid(width: 3, height: 1)
    grid.put("a", .text, at: Point(x: 0, y: 1), before: 3)
    grid.put("a", .text, at: Point(x: 3, y: 0), before: 9)
    grid.put("a", .text, at: Point(x: 0, y: -1), before: 3)
    grid.fill(Area(x: 2, y: 0, width: 5, height: 5), "x", .text)
    #expect(grid.lines == ["  x"])
  }

  @Test func textIsRightAlignedInItsArea() {
    var grid = Grid(width: 6, height: 1)
    grid.put("日", .text, in: Area(x: 1, y: 0, width: 4, height: 1), isRight: true)
    #expect(grid.lines == ["   日"])
  }

  @Test func emptyGridHasNoCells() {
    var grid = Grid(width: -1, height: 0)
    grid.put("a", .text, in: Area(x: 0, y: 0, width: 1, height: 1))
    #expect(grid.lines == [])
  }
}
