import Foundation
import SQLiteDB
import Testing

private let int = SQLExpression<Int>("int"), intOptional = SQLExpression<Int?>("intOptional")
private let double = SQLExpression<Double>("double"), doubleOptional = SQLExpression<Double?>("doubleOptional")
private let string = SQLExpression<String>("string"), stringOptional = SQLExpression<String?>("stringOptional")
private let bool = SQLExpression<Bool>("bool"), boolOptional = SQLExpression<Bool?>("boolOptional")
private let date = SQLExpression<Date>("date"), dateOptional = SQLExpression<Date?>("dateOptional")

@Suite struct OperatorTests {
  /// Checks the SQL of an operator for optional and non-optional columns, and for a value on either side.
  private func forms(_ name: String, _ all: [SQLExpression<Void>], _ type: String, _ value: String) {
    let a = "\"\(type)\"", b = "\"\(type)Optional\""
    let expected = [
      "(\(a) \(name) \(a))", "(\(a) \(name) \(b))", "(\(b) \(name) \(a))", "(\(b) \(name) \(b))",
      "(\(a) \(name) \(value))",
      "(\(b) \(name) \(value))", "(\(value) \(name) \(a))", "(\(value) \(name) \(b))",
    ]
    #expect(all.map(\.description) == expected)
  }

  @Test func arithmeticOperatorsBuildSQL() {
    forms(
      "+",
      [
        (int + int).expression, (int + intOptional).expression, (intOptional + int).expression,
        (intOptional + intOptional).expression, (int + 1).expression, (intOptional + 1).expression,
        (1 + int).expression, (1 + intOptional).expression,
      ], "int", "1")
    forms(
      "-",
      [
        (double - double).expression, (double - doubleOptional).expression, (doubleOptional - double).expression,
        (doubleOptional - doubleOptional).expression, (double - 1).expression, (doubleOptional - 1).expression,
        (1 - double).expression, (1 - doubleOptional).expression,
      ], "double", "1.0")
    forms(
      "*",
      [
        (double * double).expression, (double * doubleOptional).expression, (doubleOptional * double).expression,
        (doubleOptional * doubleOptional).expression, (double * 1).expression, (doubleOptional * 1).expression,
        (1 * double).expression, (1 * doubleOptional).expression,
      ], "double", "1.0")
    forms(
      "/",
      [
        (int / int).expression, (int / intOptional).expression, (intOptional / int).expression,
        (intOptional / intOptional).expression, (int / 1).expression, (intOptional / 1).expression,
        (1 / int).expression, (1 / intOptional).expression,
      ], "int", "1")
  }

  @Test func bitwiseOperatorsBuildSQL() {
    forms(
      "%",
      [
        (int % int).expression, (int % intOptional).expression, (intOptional % int).expression,
        (intOptional % intOptional).expression, (int % 1).expression, (intOptional % 1).expression,
        (1 % int).expression, (1 % intOptional).expression,
      ], "int", "1")
    forms(
      "<<",
      [
        (int << int).expression, (int << intOptional).expression, (intOptional << int).expression,
        (intOptional << intOptional).expression, (int << 1).expression, (intOptional << 1).expression,
        (1 << int).expression, (1 << intOptional).expression,
      ], "int", "1")
    forms(
      ">>",
      [
        (int >> int).expression, (int >> intOptional).expression, (intOptional >> int).expression,
        (intOptional >> intOptional).expression, (int >> 1).expression, (intOptional >> 1).expression,
        (1 >> int).expression, (1 >> intOptional).expression,
      ], "int", "1")
    forms(
      "&",
      [
        (int & int).expression, (int & intOptional).expression, (intOptional & int).expression,
        (intOptional & intOptional).expression, (int & 1).expression, (intOptional & 1).expression,
        (1 & int).expression, (1 & intOptional).expression,
      ], "int", "1")
    forms(
      "|",
      [
        (int | int).expression, (int | intOptional).expression, (intOptional | int).expression,
        (intOptional | intOptional).expression, (int | 1).expression, (intOptional | 1).expression,
        (1 | int).expression, (1 | intOptional).expression,
      ], "int", "1")
  }

  @Test func concatenationBuildsSQL() {
    forms(
      "||",
      [
        (string + string).expression, (string + stringOptional).expression, (stringOptional + string).expression,
        (stringOptional + stringOptional).expression, (string + "x").expression, (stringOptional + "x").expression,
        ("x" + string).expression, ("x" + stringOptional).expression,
      ], "string", "'x'")
  }

  @Test func exclusiveOrBuildsSQL() throws {
    #expect(sql(id ^ 1) == "(~((\"id\" & 1)) & (\"id\" | 1))")
    #expect(sql(1 ^ intOptional) == "(~((1 & \"intOptional\")) & (1 | \"intOptional\"))")
    #expect(sql(int ^ intOptional) == "(~((\"int\" & \"intOptional\")) & (\"int\" | \"intOptional\"))")
    let db = try Connection()
    let xor: SQLExpression<Int> = SQLExpression(value: 12) ^ 10
    #expect(try db.scalar("SELECT " + sql(xor)) as? Int64 == 6)
  }

  @Test func prefixOperatorsBuildSQL() {
    #expect(sql(~id) == "~(\"id\")")
    #expect(sql(-balance) == "-(\"balance\")")
    #expect(sql(-intOptional) == "-(\"intOptional\")")
  }

  @Test func equalityOperatorsBuildSQL() {
    forms(
      "=",
      [
        (int == int).expression, (int == intOptional).expression, (intOptional == int).expression,
        (intOptional == intOptional).expression, (int == 1).expression, (intOptional == 1).expression,
        (1 == int).expression, (1 == intOptional).expression,
      ], "int", "1")
    forms(
      "!=",
      [
        (bool != bool).expression, (bool != boolOptional).expression, (boolOptional != bool).expression,
        (boolOptional != boolOptional).expression, (bool != true).expression, (boolOptional != true).expression,
        (true != bool).expression, (true != boolOptional).expression,
      ], "bool", "1")
    let isNull: SQLExpression<Bool?> = intOptional == nil
    #expect(sql(isNull) == "(\"intOptional\" IS NULL)")
    let isNotNull: SQLExpression<Bool?> = nil != stringOptional
    #expect(sql(isNotNull) == "(NULL IS NOT \"stringOptional\")")
    let missing: String? = nil
    #expect(sql(stringOptional == missing) == "(\"stringOptional\" IS NULL)")
    #expect(sql(stringOptional != Optional("x")) == "(\"stringOptional\" != 'x')")
  }

  @Test func comparisonOperatorsBuildSQL() {
    forms(
      ">",
      [
        (int > int).expression, (int > intOptional).expression, (intOptional > int).expression,
        (intOptional > intOptional).expression, (int > 1).expression, (intOptional > 1).expression,
        (1 > int).expression, (1 > intOptional).expression,
      ], "int", "1")
    forms(
      ">=",
      [
        (string >= string).expression, (string >= stringOptional).expression, (stringOptional >= string).expression,
        (stringOptional >= stringOptional).expression, (string >= "a").expression, (stringOptional >= "a").expression,
        ("a" >= string).expression, ("a" >= stringOptional).expression,
      ], "string", "'a'")
    forms(
      "<",
      [
        (double < double).expression, (double < doubleOptional).expression, (doubleOptional < double).expression,
        (doubleOptional < doubleOptional).expression, (double < 1).expression, (doubleOptional < 1).expression,
        (1 < double).expression, (1 < doubleOptional).expression,
      ], "double", "1.0")
    forms(
      "<=",
      [
        (int <= int).expression, (int <= intOptional).expression, (intOptional <= int).expression,
        (intOptional <= intOptional).expression, (int <= 1).expression, (intOptional <= 1).expression,
        (1 <= int).expression, (1 <= intOptional).expression,
      ], "int", "1")
  }

  @Test func identityOperatorsBuildSQL() {
    forms(
      "IS",
      [
        (int === int).expression, (int === intOptional).expression, (intOptional === int).expression,
        (intOptional === intOptional).expression, (int === 1).expression, (intOptional === 1).expression,
        (1 === int).expression, (1 === intOptional).expression,
      ], "int", "1")
    forms(
      "IS NOT",
      [
        (int !== int).expression, (int !== intOptional).expression, (intOptional !== int).expression,
        (intOptional !== intOptional).expression, (int !== 1).expression, (intOptional !== 1).expression,
        (1 !== int).expression, (1 !== intOptional).expression,
      ], "int", "1")
  }

  @Test func rangesBuildBetween() {
    #expect(sql(0...5 ~= int) == "\"int\" BETWEEN 0 AND 5")
    #expect(sql(0...5 ~= intOptional) == "\"intOptional\" BETWEEN 0 AND 5")
    #expect(sql(0..<5 ~= int) == "\"int\" >= 0 AND \"int\" < 5")
    #expect(sql(...5 ~= int) == "\"int\" <= 5")
    #expect(sql(..<5 ~= int) == "\"int\" < 5")
    #expect(sql(5... ~= int) == "\"int\" >= 5")
    #expect(sql("a"..."c" ~= string) == "\"string\" BETWEEN 'a' AND 'c'")
    let epoch = Date(timeIntervalSince1970: 0)
    #expect(sql(epoch...epoch ~= date).hasPrefix("\"date\" BETWEEN '1970-01-01T00:00:00.000' AND '1970"))
    #expect(sql(epoch... ~= dateOptional) == "\"dateOptional\" >= '1970-01-01T00:00:00.000'")
  }

  @Test func rangeOperandsAreParenthesized() throws {
    #expect(sql((1...5 ~= id) == true) == "((\"id\" BETWEEN 1 AND 5) = 1)")
    #expect(sql((1..<5 ~= id) == false) == "((\"id\" >= 1 AND \"id\" < 5) = 0)")
    #expect(sql(users.filter(1...5 ~= id)) == "SELECT * FROM \"users\" WHERE \"id\" BETWEEN 1 AND 5")
    #expect(sql(1...5 ~= id && verified) == "(\"id\" BETWEEN 1 AND 5 AND \"verified\")")
  }

  @Test func `a converted condition is parenthesized as an operand`() throws {
    let db = try database("a", "b", "c", "d")
    let outside = SQLExpression<Bool?>(2..<4 ~= id) == false
    #expect(sql(outside) == "((\"id\" >= 2 AND \"id\" < 4) = 0)")
    #expect(try db.prepare(users.filter(outside)).map { $0[id] } == [1, 4])
  }

  @Test func logicalOperatorsBuildSQL() {
    #expect(sql(bool && bool) == "(\"bool\" AND \"bool\")")
    #expect(sql(bool && boolOptional) == "(\"bool\" AND \"boolOptional\")")
    #expect(sql(boolOptional && bool) == "(\"boolOptional\" AND \"bool\")")
    #expect(sql(boolOptional || boolOptional) == "(\"boolOptional\" OR \"boolOptional\")")
    #expect(sql(bool || true) == "(\"bool\" OR 1)")
    #expect(sql(false && boolOptional) == "(0 AND \"boolOptional\")")
    #expect(sql(and(bool, bool, bool)) == "(\"bool\" AND \"bool\" AND \"bool\")")
    #expect(sql(or([boolOptional, boolOptional])) == "(\"boolOptional\" OR \"boolOptional\")")
  }

  @Test func negationBuildsSQL() {
    #expect(sql(!verified) == "NOT (\"verified\")")
    #expect(sql(!boolOptional) == "NOT (\"boolOptional\")")
    #expect(sql(users.filter(!verified)) == "SELECT * FROM \"users\" WHERE NOT (\"verified\")")
    #expect(sql(!(verified && bool) == true) == "((NOT ((\"verified\" AND \"bool\"))) = 1)")
  }

  @Test func customTypesWorkWithOperators() {
    #expect(sql(SQLExpression<Celsius>("t") > Celsius(degrees: 3)) == "(\"t\" > 3.0)")
    #expect(sql(SQLExpression<Celsius?>("t") == nil) == "(\"t\" IS NULL)")
    #expect(sql(SQLExpression<Celsius>("t") <- Celsius(degrees: 3)) == "\"t\" = 3.0")
  }
}

struct Celsius: Value {
  var degrees: Double

  static var declaredDatatype: String { Double.declaredDatatype }
  static func fromDatatypeValue(_ datatypeValue: Double) -> Celsius { Celsius(degrees: datatypeValue) }
  var datatypeValue: Double { degrees }
}
