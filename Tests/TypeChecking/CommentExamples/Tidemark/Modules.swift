// The values that the examples about full-text search, virtual tables, JSON and extensions use.

import CSQLite
import Tidemark

var searchText: String { "" }

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

let sqlite3_vec_init: DatabaseExtension.EntryPoint = { _, _, _ in SQLITE_OK }

// MARK: The context of the examples of a file

struct FTS3TokenizerDescriptorExamples {
  var t: FTS3TableDefinition
}

struct FTS4Examples {
  var t: FTS4TableDefinition
}

struct FTS5TableDefinitionExamples {
  var t: FTS5TableDefinition
}

struct FTS5TokenizerDescriptorExamples {
  var t: FTS5TableDefinition
}

struct RTreeExamples {
  var t: RTreeTableDefinition
}

struct SQLJSONExpressibleExamples {
  var info: JSONColumn
  var tags: JSONColumn
}
