import CSQLite
import Foundation
import Tidemark

// The values that the examples about full-text search use. See `Values.swift`.

final class SpaceTokenizer: FTS5CustomTokenizer {
  static let name = "space"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    SQLITE_OK
  }
}

struct FTS3TokenizerDescriptorExamples {
  var t: FTS3TableDefinition
}

struct FTS4Examples {
  var t: FTS4TableDefinition
}

struct FTS5TableDefinitionExamples {
  var t: FTS5TableDefinition
}

struct RTreeExamples {
  var t: RTreeTableDefinition
}

struct FTS5TokenizerDescriptorExamples {
  var t: FTS5TableDefinition
}
