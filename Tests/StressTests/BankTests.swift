import StressSupport
import Testing
import Tidemark

/// Transfers between accounts: every read finds the same total, and no negative balance.
@Suite(.serialized) struct BankTests {
  @Test(arguments: Scale.seeds(daily: 2, full: 3))
  func everyReadSeesTheSameSum(seed: UInt64) async throws {
    let run = Run("bank", seed: seed)
    try await perform(run, rounds: Scale.of(daily: 150, full: 2000))
    run.finish()
  }

  @Test(arguments: Bank.Fault.allCases)
  func plantedBankFaultsAreFound(fault: Bank.Fault) async throws {
    let run = Run("bank-control", seed: Scale.seed)
    try await perform(run, rounds: 20, fault)
    run.finishControl(planted: "\(fault)")
  }

  private func perform(_ run: Run, rounds: Int, _ fault: Bank.Fault? = nil) async throws {
    let folder = try TestFolder(onDisk: true)
    let bank = try Bank(folder.pool(), run)
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(2, "writing thread") { try bank.write(as: $0, rounds) } }
      group.addTask { await workers.tasks(6, "writing task") { try await bank.writeAsync(as: 10 + $0, rounds) } }
      group.addTask { await workers.threads(2, "reading thread") { try bank.read(as: 20 + $0, rounds) } }
      group.addTask { await workers.tasks(6, "reading task") { try await bank.readAsync(as: 30 + $0, rounds) } }
      group.addTask { await workers.tasks(2, "snapshot") { try await bank.readSnapshots(as: 40 + $0, rounds / 10) } }
    }
    if let fault { try bank.plant(fault) }
    try await bank.pool.read { bank.check($0, "end") }
    let committed = try await bank.pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transfer") }
    if committed != run.counted("transactions") {
      run.problem("\(run.counted("transactions")) transfers were acknowledged, \(committed ?? 0) are there")
    }
    try bank.pool.close()
    if !folder.openFiles.isEmpty { run.problem("open after close: \(folder.openFiles)") }
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}

/// The accounts, and the operations on them.
struct Bank: Sendable {
  /// What may be wrong with a bank, for the controls.
  enum Fault: CaseIterable, CustomTestStringConvertible {
    case readWithoutTransaction, moneyFromNowhere, lostTransfer

    var testDescription: String { "\(self)" }
  }

  static let accountCount = 16
  static let sum = accountCount * 100

  let pool: DatabasePool
  let run: Run

  init(_ pool: DatabasePool, _ run: Run) throws {
    self.pool = pool
    self.run = run
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
      try db.execute(sql: "CREATE TABLE transfer (id INTEGER PRIMARY KEY, payer, payee, amount)")
      for id in 0..<Self.accountCount { try db.execute(sql: "INSERT INTO account VALUES (?, 100)", arguments: [id]) }
    }
  }

  // MARK: Writing

  struct PlannedFailure: Error {}

  /// One transfer. Some are refused when they are half done, and leave nothing.
  static func transfer(_ db: Database, _ numbers: RandomNumbers) throws {
    var numbers = numbers
    let payer = numbers.below(accountCount)
    let payee = (payer + 1 + numbers.below(accountCount - 1)) % accountCount
    let balance = try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = ?", arguments: [payer]) ?? 0
    let amount = numbers.below(balance + 1)
    try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, payer])
    if numbers.once(in: 10) { throw PlannedFailure() }
    if numbers.once(in: 10) {
      try db.inSavepoint {
        try db.execute(sql: "UPDATE account SET balance = balance + 1000")
        return .rollback
      }
    }
    try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, payee])
    try db.execute(
      sql: "INSERT INTO transfer (payer, payee, amount) VALUES (?, ?, ?)", arguments: [payer, payee, amount])
  }

  func write(as worker: Int, _ rounds: Int) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      let own = RandomNumbers(seed: numbers.next())
      do {
        switch numbers.below(3) {
        case 0: try pool.write { try Self.transfer($0, own) }
        case 1:
          try pool.writeInTransaction { db in
            try Self.transfer(db, own)
            return .commit
          }
        default:
          try pool.writeWithoutTransaction { db in
            try db.inTransaction {
              try Self.transfer(db, own)
              return .commit
            }
            pool.spawnConcurrentRead { check($0, "concurrent read") }
          }
        }
        run.count("transactions")
      } catch is PlannedFailure {
        run.count("refused")
      }
    }
  }

  func writeAsync(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      let own = RandomNumbers(seed: numbers.next())
      do {
        if numbers.once(in: 20) {
          try await pool.barrierWriteWithoutTransaction { db in
            try db.inTransaction {
              try Self.transfer(db, own)
              return .commit
            }
          }
        } else {
          try await pool.write { try Self.transfer($0, own) }
        }
        run.count("transactions")
      } catch is PlannedFailure {
        run.count("refused")
      }
    }
  }

  // MARK: Reading

  func read(as worker: Int, _ rounds: Int) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      if numbers.once(in: 4) {
        pool.asyncRead { check($0, "later read") }
      } else {
        try pool.read { check($0, "read") }
      }
    }
  }

  func readAsync(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      if numbers.once(in: 3) {
        try await pool.readInline { check($0, "read in place") }
      } else {
        try await pool.read { check($0, "async read") }
      }
    }
  }

  func readSnapshots(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      // It waits for the writer, with the thread.
      let snapshot: any DatabaseSnapshotReader =
        numbers.once(in: 4) ? try pool.makeSnapshotPool() : try pool.makeSnapshot()
      let count = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transfer") }
      for _ in 0..<4 {
        try await snapshot.read { check($0, "snapshot") }
        let now = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transfer") }
        if now != count { run.problem("a snapshot went from \(count ?? 0) to \(now ?? 0) transfers") }
      }
    }
  }

  @Sendable func check(_ result: Result<Database, any Error>, _ actor: String) {
    switch result {
    case .success(let db): check(db, actor)
    case .failure(let error): run.problem("\(actor): \(error)")
    }
  }

  func plant(_ fault: Fault) throws {
    switch fault {
    case .readWithoutTransaction:
      // All that the others have goes to the first account, when that one was already seen.
      try pool.unsafeReentrantRead { db in
        check(db, "read without a transaction") {
          try pool.unsafeReentrantWrite { db in
            try db.execute(sql: "UPDATE account SET balance = CASE id WHEN 0 THEN ? ELSE 0 END", arguments: [Self.sum])
          }
        }
      }
    case .moneyFromNowhere: try pool.write { try $0.execute(sql: "UPDATE account SET balance = balance + 1") }
    case .lostTransfer:
      try pool.write { try $0.execute(sql: "DELETE FROM transfer WHERE id = (SELECT MAX(id) FROM transfer)") }
    }
  }

  /// Looks at the accounts one by one, so that there is time between the statements.
  ///
  /// - Parameter meanwhile: Is done when half of them have been looked at.
  func check(_ db: Database, _ actor: String, meanwhile: () throws -> Void = {}) {
    do {
      var sum = 0
      for id in 0..<Self.accountCount {
        let balance = try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = ?", arguments: [id]) ?? 0
        if balance < 0 { run.problem("\(actor): account \(id) has \(balance)") }
        sum += balance
        if id == Self.accountCount / 2 { try meanwhile() }
      }
      if sum != Self.sum { run.problem("\(actor): the accounts have \(sum), not \(Self.sum)") }
      let whole = try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")
      if whole != sum { run.problem("\(actor): \(sum) one by one, \(whole ?? 0) together") }
      run.count("reads")
    } catch {
      run.problem("\(actor): \(error)")
    }
  }
}
