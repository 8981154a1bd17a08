import Foundation
import Testing
import Tidemark

@Suite struct StatementArgumentsTests {
  // MARK: Making them

  private static let name: String? = "x"

  // swift-format-ignore
  @Test(arguments: [
    (StatementArguments(), "[]"),
    ([], "[]"),
    ([1, "x", nil, 2.5, Data([9]), true], #"[1, "x", NULL, 2.5, Data(1 bytes), 1]"#),
    ([name], #"["x"]"#),
    (["id": 1], #"["id": 1]"#),
    (["b": nil, "a": "x"], #"["a": "x", "b": NULL]"#),
    (StatementArguments([1, 2]), "[1, 2]"),
    (StatementArguments([1, nil] as [Int?]), "[1, NULL]"),
    (StatementArguments(1...3), "[1, 2, 3]"),
  ] as [(StatementArguments, String)])
  func argumentsDescribeNamedThenPositionalValues(arguments: StatementArguments, text: String) {
    #expect(arguments.description == text)
  }

  @Test func argumentsAreMadeFromCollections() {
    let array: [(any DatabaseValueConvertible)?] = ["x", nil, 1]
    let dictionary: [String: (any DatabaseValueConvertible)?] = ["a": 1, "b": nil]
    let pairs: [(String, (any DatabaseValueConvertible)?)] = [("a", 1), ("b", nil), ("a", 3)]
    #expect(StatementArguments(array).description == #"["x", NULL, 1]"#)
    #expect(StatementArguments(dictionary).description == #"["a": 1, "b": NULL]"#)
    #expect(StatementArguments(pairs).description == #"["a": 3, "b": NULL]"#)
    #expect(StatementArguments(dictionaryLiteral: ("a", 1), ("a", 2)) == ["a": 2])
  }

  /// A value that is too large to be stored inline in an existential.
  private struct Large: DatabaseValueConvertible {
    var words = (1, 2, 3, 4, 5)
    var databaseValue: DatabaseValue { "\(words)".databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Large? { nil }
  }

  /// A value that counts its live instances.
  private final class Counted: DatabaseValueConvertible {
    private let count: Locked<Int>
    init(_ count: Locked<Int>) {
      self.count = count
      count.update { $0 += 1 }
    }
    deinit { count.update { $0 -= 1 } }
    var databaseValue: DatabaseValue { count.value.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
  }

  @Test func valuesOfAllSizesAreReleased() {
    let count = Locked(0)
    let (none, some): (Large?, Large?) = (nil, Large())
    let arguments: StatementArguments = [1, Large(), nil, none, some, Counted(count), "text", Counted(count), true]
    #expect(arguments == [1, "(1, 2, 3, 4, 5)", nil, nil, "(1, 2, 3, 4, 5)", 2, "text", 2, 1])
    #expect(count.value == 0)
  }

  @Test func argumentsAreMadeFromUntypedValues() throws {
    let nothing: Int? = nil
    #expect(StatementArguments([1, "x", nothing as Any] as [Any]) == [1, "x", nil])
    #expect(StatementArguments(["a": 1, "b": "x"] as [AnyHashable: Any]) == ["a": 1, "b": "x"])
  }

  @Test func unsupportedTypesGiveNoArguments() {
    struct Unknown {}
    #expect(StatementArguments([1, Unknown()] as [Any]) == nil)
    #expect(StatementArguments(["a": Unknown()] as [AnyHashable: Any]) == nil)
    #expect(StatementArguments([1: "x"] as [AnyHashable: Any]) == nil)
  }

  @Test func argumentsWithoutValuesAreEmpty() {
    #expect(StatementArguments().isEmpty)
    #expect(!([nil] as StatementArguments).isEmpty)
    #expect(!(["a": nil] as StatementArguments).isEmpty)
  }

  @Test func argumentsAreComparedByValue() {
    #expect([1] as StatementArguments == [1.0])
    #expect(["a": 1] as StatementArguments == ["a": 1])
    #expect([1] as StatementArguments != [2])
    #expect([1] as StatementArguments != ["a": 1])
    #expect([1, 2] as StatementArguments != [2, 1])
    #expect(Set([[1], [1.0]] as [StatementArguments]).count == 1)
  }

  // MARK: Combining them

  @Test func appendingReturnsReplacedValues() {
    var arguments: StatementArguments = [1]
    #expect(arguments.append(contentsOf: ["id": 1]) == [:])
    #expect(arguments.append(contentsOf: [2, nil]) == [:])
    #expect(arguments.append(contentsOf: ["id": 3, "name": "x"]) == ["id": 1.databaseValue])
    #expect(arguments.description == #"["id": 3, "name": "x", 1, 2, NULL]"#)
  }

  @Test func plusJoinsArguments() {
    let named: StatementArguments = ["id": 3]
    let positional: StatementArguments = [1, "x"]
    #expect((named + positional).description == #"["id": 3, 1, "x"]"#)
    #expect((positional + positional).description == #"[1, "x", 1, "x"]"#)
    var arguments = named
    arguments += ["name": "y"]
    #expect(arguments == ["id": 3, "name": "y"])
  }

  @Test func ampersandPlusPrefersTheRightSide() {
    #expect((["id": 1] as StatementArguments) &+ ["id": 2] == ["id": 2])
    #expect(([1] as StatementArguments) &+ [2] == [1, 2])
  }

  @Test(arguments: ["+", "+="])
  func duplicateNamesTrap(operation: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [operation] in
      var arguments: StatementArguments = ["b": 1, "a": 1, "c": 1]
      if operation == "+" { arguments = arguments + ["a": 1, "b": 2] } else { arguments += ["a": 1, "b": 2] }
    }
    #expect(result.words.contains("already defined statement argument: a, b"))
  }

  // MARK: Using them

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT ?, ?", [1, "x"], #"1, "x""#),
    ("SELECT :a, @b, $c", ["a": 1, "b": 2, "c": 3], "1, 2, 3"),
    ("SELECT :a, :b", [1, 2], "1, 2"),
    ("SELECT :a, ?, :a", ["a": 1] + [2], "1, 2, 1"),
    ("SELECT :a, :b, :a", ["b": 1] + [2], "2, 1, 2"),
    ("SELECT ?2, ?1", [1, 2], "2, 1"),
    ("SELECT :a", ["a": 1, "other": 2], "1"),
  ] as [(String, StatementArguments, String)])
  func parametersTakeNamedThenPositionalValues(sql: String, arguments: StatementArguments, values: String) throws {
    try inMemory { db throws in
      let row = try #require(try Row.fetchOne(db, sql: sql, arguments: arguments))
      #expect(row.databaseValues.map(\.description).joined(separator: ", ") == values)
    }
  }

  @Test func questionMarksAreCounted() {
    #expect(databaseQuestionMarks(count: 0) == "")
    #expect(databaseQuestionMarks(count: 1) == "?")
    #expect(databaseQuestionMarks(count: 3) == "?,?,?")
  }
}
