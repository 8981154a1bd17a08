/// A comparison operator.
enum ValueComparison: Sendable {
  case equal
  case different
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual
  case identical
  case notIdentical

  /// The operator with exchanged operands.
  var mirrored: ValueComparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .different, .identical, .notIdentical: self
    }
  }
}
