// The values that the examples in the documentation comments of Tidemark use. `CommentExampleTests` compiles the examples
// with this file. Nothing runs, so most of them have no value.

import CSQLite
import Foundation
import Tidemark

// MARK: Databases

var dbQueue: DatabaseQueue { fatalError() }
var dbPool: DatabasePool { fatalError() }
var db: Database { fatalError() }
var source: DatabaseQueue { fatalError() }
var destination: DatabaseQueue { fatalError() }

var config: Configuration {
  get { fatalError() }
  set {}
}

var configuration: Configuration {
  get { fatalError() }
  set {}
}

var migrator: DatabaseMigrator {
  get { fatalError() }
  set {}
}

var path: String { "db.sqlite" }
var userQuery: String { "SELECT 1" }
var row: Row { fatalError() }
var statement: Statement { fatalError() }

// MARK: Records

var player: Player {
  get { fatalError() }
  set {}
}

var original: Player { fatalError() }
var arthur: Player { fatalError() }
var newcomer: Newcomer { fatalError() }
var book: Book { fatalError() }
var author: Author { fatalError() }
var email: String { "" }
var id: Int64 { 1 }
var title: String { "" }
var score: Int { 1 }
var bound: Int { 1 }
var pattern: String { "" }
var searchText: String { "" }
var info: JSONColumn { fatalError() }
var tags: JSONColumn { fatalError() }
var names: [String] { [] }
var newNames: [String] { [] }
var newPlayers: [Player] { [] }
var ids: [Int64] { [] }

var players: [Player] {
  get { [] }
  set {}
}

// MARK: Requests

var sql: SQL {
  get { fatalError() }
  set {}
}

var best: CommonTableExpression<Row> { fatalError() }
var recent: CommonTableExpression<Row> { fatalError() }
var table: Table<Player> { fatalError() }

enum CodingKeys: CodingKey { case score }

let byLength = DatabaseCollation("by_length") { _, _ in .orderedSame }
let reversed = DatabaseFunction("reversed", argumentCount: 1, pure: true) { _ in nil }

// MARK: Observations

let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
let byRow = Player.all().differences()
var shared: SharedValueObservation<[Player]> { fatalError() }
var version: DatabaseVersion? { nil }
let queue = DispatchQueue(label: "examples")

// MARK: The program

enum StartError: Error { case databaseNeedsMigration, databaseIsTooNew }
enum ValidationError: Error { case missingName }

struct Image {
  init(data: Data) {}
}

struct Standings {
  static func fetch(_ db: Database) throws -> Standings { fatalError() }
}

struct Logger {
  func info(_ message: String) {}
  func error(_ message: String) {}
}

@MainActor final class PlayersView {
  func show(_ players: [Player]) {}
}

let logger = Logger()
let decoderName = CodingUserInfoKey(rawValue: "decoder")!
@MainActor let view = PlayersView()

final class BookCounter: TransactionObserver {
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}

struct ViewKeys: DatabaseSchemaSource {}
struct OtherKeys: DatabaseSchemaSource {}

struct BoxIndex: VirtualTableModule {
  final class TableDefinition {
    func column(_ name: String) {}
  }

  var moduleName: String { "rtree" }

  func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { TableDefinition() }
  func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { [] }
  func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
}

struct Longest: DatabaseAggregate {
  mutating func step(_ dbValues: [DatabaseValue]) {}
  func finalize() -> (any DatabaseValueConvertible)? { nil }
}

enum Rating: Int64 { case poor, good }

func validateEmail() throws {}
func importBooks(_ db: Database) throws {}
func importLater() {}
func computeSomething(_ db: Database) throws -> Int { 0 }
func crc32(_ data: Data) -> UInt32 { 0 }

// MARK: The context of the examples of a file

struct ColumnDefinitionExamples {
  var t: TableDefinition
}

struct TableDefinitionExamples {
  var t: TableDefinition
}

struct ForeignKeyDefinitionExamples {
  var t: TableDefinition
}

struct TableAlterationExamples {
  var t: TableAlteration
}

struct SharedDifferenceObservationExamples {
  var shared: SharedDifferenceObservation<Player>
}

struct AsyncKeyedDifferencesExamples {
  var shared: SharedDifferenceObservation<Player>
}
