import SQLiteDB
import Testing

private let int = SQLExpression<Int>("int"), intOptional = SQLExpression<Int?>("intOptional")
private let double = SQLExpression<Double>("double"), doubleOptional = SQLExpression<Double?>("doubleOptional")
private let string = SQLExpression<String>("string"), stringOptional = SQLExpression<String?>("stringOptional")

@Suite struct SetterTests {
  /// Checks the SQL of setters for all combinations of optional and non-optional columns, expressions and values.
  private func forms(
    _ setters: [Setter], _ type: String, _ right: (_ column: String, _ value: String) -> String, _ value: String
  ) {
    let a = "\"\(type)\"", b = "\"\(type)Optional\""
    let pairs = [(a, a), (a, value), (b, a), (b, b), (b, value)]
    #expect(setters.map { sql($0) } == pairs.map { "\($0.0) = \(right($0.0, $0.1))" })
  }

  @Test func assignmentSettersBuildSQL() {
    forms([int <- int, int <- 1, intOptional <- int, intOptional <- intOptional, intOptional <- 1], "int", { $1 }, "1")
    #expect(sql(intOptional <- nil) == "\"intOptional\" = NULL")
    #expect((int <- 1).description == "\"int\" = 1")
  }

  @Test func arithmeticSettersBuildSQL() {
    forms(
      [int += int, int += 1, intOptional += int, intOptional += intOptional, intOptional += 1], "int",
      { "(\($0) + \($1))" }, "1")
    forms(
      [
        double -= double, double -= 1, doubleOptional -= double, doubleOptional -= doubleOptional, doubleOptional -= 1,
      ], "double", { "(\($0) - \($1))" }, "1.0")
    forms(
      [
        double *= double, double *= 1, doubleOptional *= double, doubleOptional *= doubleOptional, doubleOptional *= 1,
      ], "double", { "(\($0) * \($1))" }, "1.0")
    forms(
      [int /= int, int /= 1, intOptional /= int, intOptional /= intOptional, intOptional /= 1], "int",
      { "(\($0) / \($1))" }, "1")
  }

  @Test func bitwiseSettersBuildSQL() {
    forms(
      [int %= int, int %= 1, intOptional %= int, intOptional %= intOptional, intOptional %= 1], "int",
      { "(\($0) % \($1))" }, "1")
    forms(
      [int <<= int, int <<= 1, intOptional <<= int, intOptional <<= intOptional, intOptional <<= 1], "int",
      { "(\($0) << \($1))" }, "1")
    forms(
      [int >>= int, int >>= 1, intOptional >>= int, intOptional >>= intOptional, intOptional >>= 1], "int",
      { "(\($0) >> \($1))" }, "1")
    forms(
      [int &= int, int &= 1, intOptional &= int, intOptional &= intOptional, intOptional &= 1], "int",
      { "(\($0) & \($1))" }, "1")
    forms(
      [int |= int, int |= 1, intOptional |= int, intOptional |= intOptional, intOptional |= 1], "int",
      { "(\($0) | \($1))" }, "1")
    forms(
      [int ^= int, int ^= 1, intOptional ^= int, intOptional ^= intOptional, intOptional ^= 1], "int",
      { "(~((\($0) & \($1))) & (\($0) | \($1)))" }, "1")
  }

  @Test func concatenationSettersBuildSQL() {
    forms(
      [
        string += string, string += "x", stringOptional += string, stringOptional += stringOptional,
        stringOptional += "x",
      ], "string", { "(\($0) || \($1))" }, "'x'")
  }

  @Test func incrementSettersBuildSQL() {
    #expect(sql(int++) == "\"int\" = (\"int\" + 1)")
    #expect(sql(intOptional++) == "\"intOptional\" = (\"intOptional\" + 1)")
    #expect(sql(int--) == "\"int\" = (\"int\" - 1)")
    #expect(sql(intOptional--) == "\"intOptional\" = (\"intOptional\" - 1)")
  }
}
