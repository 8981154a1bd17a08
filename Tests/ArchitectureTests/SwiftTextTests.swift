import Testing

/// The reader of Swift sources, which all other checks use.
@Suite struct SwiftTextTests {
  @Test(arguments: [
    ("let a = 1 // two", "let a = 1       "),
    ("let a = /* x /* y */ z */ 1", "let a =                   1"),
    (#"f("try! \(x + "y") //")"#, #"f("     \(x + " ")   ")"#),
    (##"f(#"\(a) "b" \#(c)"#)"##, ##"f(#"         \#(c)"#)"##),
    (#"f("\"") // g"#, #"f("  ")     "#),
  ])
  func commentsAndStringsAreBlanked(line: String, code: String) {
    #expect(SwiftText(line).code == [code])
  }

  @Test func multilineStringsKeepTheirLines() {
    let text = SwiftText("let a = \"\"\"\n  // \"no\" comment\n  \"\"\" // one")
    #expect(text.code == ["let a = \"\"\"", "                 ", "  \"\"\"       "])
    #expect(text.uncommented == ["let a = \"\"\"", "  // \"no\" comment", "  \"\"\"       "])
  }
}
