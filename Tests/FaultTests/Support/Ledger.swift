/// The reported outcomes of a program's writes, and the rows that must therefore be in the file.
///
/// Each write has a number, and inserts it into two tables, so that a partial write is visible.
struct Ledger {
  enum Word {
    /// Acknowledged: the write is there.
    case acknowledged
    /// Refused: the write is not there.
    case refused
    /// Unknown: the write is there completely, or not at all.
    case unknown
  }

  private(set) var words: [Int: Word] = [:]
  private var last = 0

  init() {}

  /// The acknowledged writes.
  init(acknowledged count: Int, after last: Int) {
    for number in 1...count { words[number] = .acknowledged }
    self.last = max(last, count)
  }

  var lastNumber: Int { last }

  var acknowledged: Set<Int> { Set(words.filter { $0.value == .acknowledged }.keys) }

  /// Adds a new write.
  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  mutating func note(_ number: Int, _ word: Word) { words[number] = word }

  /// Settles unknown outcomes by the rows that are there: they must not change afterwards.
  mutating func settle(with rows: Set<Int>) {
    for (number, word) in words where word == .unknown {
      words[number] = rows.contains(number) ? .acknowledged : .refused
    }
  }

  /// The contradiction between the outcomes and the given rows; nil if there is none.
  func complaint(about one: [Int], _ two: [Int]) -> String? {
    if one != two { return "half a write: \(one) and \(two)" }
    let rows = Set(one)
    for (number, word) in words {
      switch word {
      case .acknowledged where !rows.contains(number): return "write \(number) was acknowledged, and is lost"
      case .refused where rows.contains(number): return "write \(number) was refused, and is there"
      default: break
      }
    }
    if let stranger = rows.first(where: { words[$0] == nil }) { return "\(stranger) was never written" }
    return nil
  }
}
