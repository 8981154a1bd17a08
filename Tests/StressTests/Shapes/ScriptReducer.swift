import StressSupport

/// The description of a mismatch.
struct ShapeReport {
  /// The smallest script that has the mismatch.
  var script: ShapeScript
  var text: String
}

extension ShapeRunner {
  /// Reduces a script, and describes its mismatch.
  func report(on mismatch: ShapeMismatch, in script: ShapeScript) throws -> ShapeReport {
    var whole = script
    whole.transactions = Array(script.transactions.prefix((mismatch.transaction ?? -1) + 1))
    var alone = whole
    alone.queries = mismatch.query.map { [$0] } ?? []
    // Some mismatches depend on the writes that copies wait for.
    alone.isFollowed = mismatch.query == nil
    // The result is checked with all patience below.
    var hasty = self
    hasty.fetchCount = 20
    let reducer = ScriptReducer { try hasty.mismatch(in: $0) != nil }
    for script in [alone, whole] where try reducer.reproduces(script) {
      let script = try reducer.reduce(script)
      guard let mismatch = try self.mismatch(in: script) else { continue }
      let text = "\(mismatch.subject) in \(kind) is wrong\n\(script.sql)\n\(mismatch.message.asComment)"
      return ShapeReport(script: script, text: text)
    }
    let text = "\(mismatch.subject) in \(kind) was wrong, and was not when the script was executed again"
    return ShapeReport(
      script: whole, text: "\(text)\n\(whole.sql)\n\(mismatch.query?.script ?? "")\n\(mismatch.message.asComment)")
  }

  private func mismatch(in script: ShapeScript) throws -> ShapeMismatch? {
    var distribution = ShapeDistribution()
    return try run(script, &distribution)
  }
}

extension ShapeMismatch {
  fileprivate var subject: String { query == nil ? "a copy" : "a query" }
}

/// Removes the parts of a script that a mismatch does not need.
struct ScriptReducer {
  /// Executes a script, and returns whether the mismatch occurs.
  let reproduces: (ShapeScript) throws -> Bool

  func reduce(_ script: ShapeScript) throws -> ShapeScript {
    var script = script
    var size = Int.max
    // What one part needs may be removed after the other part.
    while size > script.size {
      size = script.size
      script.transactions = try reduce(script.transactions) { script.with(transactions: $0) }
      for index in script.transactions.indices {
        let outer = script
        script.transactions[index].statements = try reduce(script.transactions[index].statements) {
          outer.with(statements: $0, inTransaction: index)
        }
      }
      script.queries = try reduce(script.queries) { script.with(queries: $0) }
      script.setup = try reduce(script.setup) { script.with(setup: $0) }
    }
    return script
  }

  /// Removes elements while the mismatch occurs: first many at a time, at last each on its own.
  private func reduce<Element>(_ elements: [Element], _ makeScript: ([Element]) -> ShapeScript) throws -> [Element] {
    var elements = elements
    var count = elements.count
    while count > 0 {
      var start = 0
      while start < elements.count {
        var rest = elements
        rest.removeSubrange(start..<min(start + count, elements.count))
        if try reproduces(makeScript(rest)) { elements = rest } else { start += count }
      }
      count /= 2
    }
    return elements
  }
}

extension ShapeScript {
  fileprivate var size: Int { setup.count + queries.count + transactions.count + statementCount }

  fileprivate func with(transactions: [ShapeTransaction]) -> ShapeScript {
    var script = self
    script.transactions = transactions
    return script
  }

  fileprivate func with(statements: [ShapeStatement], inTransaction index: Int) -> ShapeScript {
    var script = self
    script.transactions[index].statements = statements
    return script
  }

  fileprivate func with(queries: [ShapeQuery]) -> ShapeScript {
    var script = self
    script.queries = queries
    return script
  }

  fileprivate func with(setup: [ShapeStatement]) -> ShapeScript {
    var script = self
    script.setup = setup
    return script
  }
}

extension String {
  fileprivate var asComment: String { "-- " + replacing("\n", with: "\n-- ") }
}
