import Foundation
import Testing

@testable import TidemarkEssentials

/// Random damage to changes, tokens and changesets: the result is an error, or other changes that are as good as any.
///
/// In `make stress`, each of these tests damages 10,000,000 values. They run in a release build there.
@Suite struct DamagedChangesTests {
  private static let rounds = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1" ? 10_000_000 : 5_000

  /// A random value takes longer to make than to decode.
  private static let damagesOfOneValue = 10

  /// How many damaged values were accepted and refused.
  private struct Counts {
    var accepted = 0
    var refused = 0

    /// Neither all nor none.
    func expectBoth(_ sourceLocation: SourceLocation = #_sourceLocation) {
      print("stress: \(accepted) accepted, \(refused) refused")
      #expect(
        accepted > rounds / 100 && refused > rounds / 100, "\(accepted) accepted, \(refused) refused",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `damaged changes are an error, or are the bytes of other changes`() throws {
    var (changes, counts) = (RandomChanges(random: SeededRandom()), Counts())
    var original: [UInt8] = []
    for round in 0..<Self.rounds {
      if round % Self.damagesOfOneValue == 0 { original = changes.next().encoded() }
      let bytes = original.damaged(&changes.random)
      do {
        let decoded = try TransactionChanges(decoding: bytes)
        counts.accepted += 1
        guard decoded.encoded() == bytes else {
          Issue.record("\(bytes) are decoded, and encoded as \(decoded.encoded())")
          return
        }
      } catch is TransactionChanges.DecodingError {
        counts.refused += 1
      }
    }
    counts.expectBoth()
  }

  // MARK: - Tokens

  @Test func `a damaged token is not a token, belongs to another history, or is another token of the feed`() throws {
    var (random, counts) = (SeededRandom(), Counts())
    let feed = try FedDatabase.queue.open()
    let tokens = try (1...300).map { number in
      try feed.execute("INSERT INTO player VALUES (\(number), 'Ada', 0)")
      return try feed.token
    }
    let (texts, known) = (tokens.map(\.description), Set(tokens))
    try feed.read { db in
      for _ in 0..<Self.rounds {
        let text = Self.damagedToken(texts, &random)
        guard let token = ChangeToken(text) else {
          counts.refused += 1
          continue
        }
        counts.accepted += 1
        let isInHistory = try db.isInHistory(token)
        guard token.description == text, isInHistory == known.contains(token) else {
          Issue.record("\(text) is \(token)")
          return
        }
      }
    }
    counts.expectBoth()
  }

  private static func damagedToken(_ texts: [String], _ random: inout SeededRandom) -> String {
    var words = random.pick(texts).split(separator: "-").map(String.init)
    let place = Int.random(in: words.indices, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: words[place] = random.pick(texts).split(separator: "-").map(String.init)[place]
    case 1:
      let number = UInt64(words[place], radix: 16) ?? 0
      words[place] = String(number ^ 1 << UInt64.random(in: 0..<64, using: &random), radix: 16)
    case 2: words[place] = random.pick(["", "0", "-1", "+1", "0001", "FF", "ffffffffffffffffff", "٣", "1 "])
    case 3: words.swapAt(place, Int.random(in: words.indices, using: &random))
    default:
      let bytes = Array(words.joined(separator: "-").utf8).damaged(&random)
      return String(decoding: bytes, as: UTF8.self)
    }
    return words.joined(separator: "-")
  }

  // MARK: - Changesets

  @Test func `damaged changesets are rejected, or are the bytes of another changeset`() throws {
    var (changes, counts) = (RandomChanges(random: SeededRandom()), Counts())
    var original: [UInt8] = []
    for round in 0..<Self.rounds {
      if round % Self.damagesOfOneValue == 0 { original = changes.nextChangeset().encoded() }
      let bytes = original.damaged(&changes.random)
      do {
        let changeset = try Changeset(decoding: bytes)
        counts.accepted += 1
        let net = changeset.net
        guard changeset.encoded() == bytes else {
          Issue.record("\(bytes) are decoded, and encoded as \(changeset.encoded())")
          return
        }
        guard !changeset.hasOneDescriptionOfEachTable || net.net == net else {
          Issue.record("net changes of \(bytes):\n\(net)\nand of these:\n\(net.net)")
          return
        }
      } catch is TransactionChanges.DecodingError {
        counts.refused += 1
      }
    }
    counts.expectBoth()
  }

  @Test(arguments: [Format.library, .sqlite])
  fileprivate func `a damaged changeset is rejected, or applied as a whole or not at all`(format: Format) throws {
    var (random, counts) = (SeededRandom(), Counts())
    try inMemory { db in
      try db.execute(sql: SQLiteChangesetTests.schema)
      let changes = try db.recordingChanges { try db.execute(sql: SQLiteChangesetTests.updates) }
      try db.apply(changes.inverted())
      let (original, before) = (try format.bytes(of: changes), try Self.content(db))
      for round in 0..<Self.rounds {
        let bytes = original.damaged(&random)
        do {
          let changeset = try format.changeset(bytes, db)
          counts.accepted += 1
          try format.checkEncoding(of: changeset, bytes, db)
          // Applying takes longer than decoding.
          if round % 16 == 0 { try Self.checkApplying(changeset, before, random.pick([.abort, .skip, .replace]), db) }
        } catch is TransactionChanges.DecodingError {
          counts.refused += 1
        }
      }
    }
    counts.expectBoth()
  }

  fileprivate enum Format {
    case library, sqlite

    func bytes(of changes: Changeset) throws -> [UInt8] {
      switch self {
      case .library: changes.encoded()
      case .sqlite: [UInt8](try changes.sqliteChangesetData())
      }
    }

    func changeset(_ bytes: [UInt8], _ db: Database) throws -> Changeset {
      switch self {
      case .library: try Changeset(decoding: bytes)
      case .sqlite: try Changeset(sqliteChangeset: bytes, db)
      }
    }

    /// A changeset has the bytes from which it was decoded. SQLite's format has several encodings of the same changes;
    /// the library's encoding is decoded as changes with the same encoding.
    func checkEncoding(of changeset: Changeset, _ bytes: [UInt8], _ db: Database) throws {
      switch self {
      case .library: #expect(changeset.encoded() == bytes)
      case .sqlite:
        let data: Data
        let again: Changeset
        do {
          data = try changeset.sqliteChangesetData()
          again = try Changeset(sqliteChangeset: data, db)
        } catch let error as ChangesetError where error.reason == .unrepresentable {
          return
        } catch is TransactionChanges.DecodingError {
          // If all changes are updates, the written tables lack the columns that no update has.
          return
        }
        #expect(try again.sqliteChangesetData() == data, "\(bytes)")
      }
    }
  }

  private static func content(_ db: Database) throws -> [Row] {
    try ["player", "tag", "code"].flatMap { try Row.fetchAll(db, sql: "SELECT * FROM \($0)") }
  }

  private static func checkApplying(
    _ changeset: Changeset, _ before: [Row], _ resolution: ChangesetConflict.Resolution, _ db: Database
  ) throws {
    try db.inTransaction {
      do {
        try db.apply(changeset, onConflict: resolution)
      } catch let error where error is ChangesetConflict || error is ChangesetError || error is DatabaseError {
        #expect(try content(db) == before, "\(changeset) was applied in part before \(error)")
      }
      return .rollback
    }
  }
}

extension Changeset {
  /// Changes around another description of a table, without a schema change between them, are not merged.
  fileprivate var hasOneDescriptionOfEachTable: Bool {
    Dictionary(grouping: rows.map(\.table), by: \.key).values.allSatisfy { Set($0).count == 1 }
  }
}

extension Database {
  fileprivate func isInHistory(_ token: ChangeToken) throws -> Bool {
    do {
      try checkHistory(of: token)
      return true
    } catch ChangeFeedError.otherHistory {
      return false
    }
  }
}

extension [UInt8] {
  /// The bytes after one to three random changes. They are not empty.
  fileprivate func damaged(_ random: inout SeededRandom) -> [UInt8] {
    var bytes = self
    for _ in 0...Int.random(in: 0...2, using: &random) {
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[index] = .random(in: 0...255, using: &random)
      case 2: bytes[index] = .random(in: 0...6, using: &random)
      case 3: bytes.insert(.random(in: 0...255, using: &random), at: index)
      case 4: bytes.removeSubrange(index..<(Bool.random(using: &random) ? index + 1 : bytes.endIndex))
      default: bytes.swapAt(index, Int.random(in: bytes.indices, using: &random))
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }
}
