import Foundation
import Tidemark

/// The record that most workloads read and write: six columns of all kinds.
struct Item: FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
  var score: Int
  var ratio: Double
  var data: Data
  var date: Date
}

extension Item {
  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    score = row["score"]
    ratio = row["ratio"]
    data = row["data"]
    date = row["date"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["score"] = score
    container["ratio"] = ratio
    container["data"] = data
    container["date"] = date
  }
}

/// The same columns, read by position.
struct PositionalItem: FetchableRecord {
  var item: Item

  init(row: Row) throws {
    item = Item(id: row[0], name: row[1], score: row[2], ratio: row[3], data: row[4], date: row[5])
  }
}

/// The same columns, with synthesized conformances.
struct CodableItem: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"
  var id: Int64
  var name: String
  var score: Int
  var ratio: Double
  var data: Data
  var date: Date
}

/// Four columns of simple types.
struct SmallItem: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"
  static var databaseSelection: [any SQLSelectable] {
    [Column("id"), Column("name"), Column("score"), Column("ratio")]
  }
  var id: Int64
  var name: String
  var score: Int
  var ratio: Double
}

/// The same columns, read by position.
struct SmallPositionalItem: FetchableRecord, Equatable, Identifiable {
  var id: Int64
  var name: String
  var score: Int
  var ratio: Double

  init(row: Row) throws {
    id = row[0]
    name = row[1]
    score = row[2]
    ratio = row[3]
  }
}

/// An item that receives its ID at insertion.
struct NewItem: Codable, MutablePersistableRecord {
  static let databaseTableName = "item"
  var id: Int64?
  var name: String
  var score: Int
  var ratio: Double
  var data: Data
  var date: Date

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The values of an item.
enum Sample {
  static let names = (0..<64).map { "the name of item \($0)" }
  static let data = Data((0..<32).map { UInt8($0) })
  static let bytes = [UInt8](data)
  static let date = Date(timeIntervalSince1970: 1_700_000_000.123)
  static let dateText = "2023-11-14 22:13:20.123"

  static func item(_ number: Int) -> Item {
    Item(
      id: Int64(number), name: names[number & 63], score: number, ratio: Double(number), data: data, date: date)
  }

  static func codableItem(_ number: Int) -> CodableItem {
    CodableItem(
      id: Int64(number), name: names[number & 63], score: number, ratio: Double(number), data: data, date: date)
  }

  static func newItem(_ number: Int) -> NewItem {
    NewItem(id: nil, name: names[number & 63], score: number, ratio: Double(number), data: data, date: date)
  }
}
