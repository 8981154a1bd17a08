/// What a program was told of its writes, and what must therefore be in the file.
///
/// Each write has a number, and puts it into two tables: half of a write would be seen.
struct Ledger {
  enum Word {
    /// It was acknowledged: it is there.
    case acknowledged
    /// It was refused: it is not there.
    case refused
    /// Nobody knows: it is there as a whole, or not at all.
    case unknown
  }

  private(set) var words: [Int: Word] = [:]
  private var last = 0

  init() {}

  /// Writes that were acknowledged.
  init(acknowledged count: Int, after last: Int) {
    for number in 1...count { words[number] = .acknowledged }
    self.last = max(last, count)
  }

  var lastNumber: Int { last }

  /// A new write.
  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  mutating func note(_ number: Int, _ word: Word) { words[number] = word }

  /// Once it is seen what became of the unknown ones, they must stay as they are.
  mutating func settle(with rows: Set<Int>) {
    for (number, word) in words where word == .unknown {
      words[number] = rows.contains(number) ? .acknowledged : .refused
    }
  }

  /// What is wrong with the rows that are there, nil when nothing is.
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
    if let stranger = rows.first(where: { words[$0] == nil }) { return "nobody wrote \(stranger)" }
    return nil
  }
}
