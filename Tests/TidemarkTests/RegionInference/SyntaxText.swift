@testable import TidemarkEssentials

// Syntax trees as text, for the tests of the parser.

extension SelectExpression {
  /// The expression with all parentheses; `…` for parts that the parser does not represent.
  var text: String {
    func list(_ expressions: [SelectExpression], _ separator: String) -> String {
      "(" + expressions.map(\.text).joined(separator: separator) + ")"
    }
    switch self {
    case .column(let column):
      return [column.database, column.table, column.name].compactMap { $0 }.joined(separator: ".")
    case .constant(.null): return "NULL"
    case .constant(.number(let number)): return number
    case .constant(.text(let text)): return "'\(text)'"
    case .constant(.blob(let digits)): return "x'\(digits)'"
    case .constant(.parameter(let mention)): return "parameter \(mention)"
    case .collated(let expression, let collation): return "(\(expression.text) COLLATE \(collation))"
    case .not(let expression): return "(NOT \(expression.text))"
    case .and(let terms): return list(terms, " AND ")
    case .or(let arms): return list(arms, " OR ")
    case .comparison(let comparison, let lhs, let rhs): return "(\(lhs.text) \(comparison.text) \(rhs.text))"
    case .arithmetic(let operation, let lhs, let rhs): return "(\(lhs.text) \(operation.rawValue) \(rhs.text))"
    case .membership(let element, let elements): return "(\(element.text) IN \(list(elements, ", ")))"
    case .call(let name, let argument): return "\(name)(\(argument.text))"
    case .pattern(let operation, let text, let pattern):
      return "(\(text.text) \(operation.rawValue.uppercased()) \(pattern.text))"
    case .row(let values): return list(values, ", ")
    case .exists(let number): return "EXISTS query \(number)"
    case .memberOf(let element, let number): return "(\(element.text) IN query \(number))"
    case .scalar(let number): return "query \(number)"
    case .opaque: return "…"
    }
  }
}

extension ValueComparison {
  fileprivate var text: String {
    switch self {
    case .equal: "="
    case .different: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .identical: "IS"
    case .notIdentical: "IS NOT"
    }
  }
}

extension SelectSource {
  /// The source: `?` if NULL may replace its rows, `ON` before a condition of the join, `WHERE` before one that applies
  /// to the whole query.
  var text: String {
    var text: String
    switch content {
    case .table(let name): text = name.text
    case .function(let name): text = "\(name.text)(…)"
    case .query(let query): text = "(\(query.text))"
    }
    if let alias { text += " AS \(alias)" }
    if isNullable { text += "?" }
    if let joinCondition { text += " \(isJoinConditionGlobal ? "WHERE" : "ON") \(joinCondition.text)" }
    return text
  }
}

extension TableName {
  var text: String { database.map { "\($0).\(name)" } ?? name }
}

extension SelectSyntax {
  /// The sources of each `SELECT`.
  var text: String { cores.map { $0.sources.map(\.text).joined(separator: ", ") }.joined(separator: "; ") }
}
