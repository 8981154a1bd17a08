import StressSupport
import Testing

/// Observed queries of many shapes deliver their current results after transactions of many shapes.
@Suite(.serialized) struct ShapeTests {
  @Test(arguments: ShapeDatabase.Kind.allCases)
  func `observed queries of all shapes deliver their current results`(kind: ShapeDatabase.Kind) throws {
    var distribution = ShapeDistribution()
    let seeds = Scale.seeds(daily: 2, full: 200)
    for seed in seeds {
      let run = Run("shapes-\(kind)", seed: seed)
      let script = ShapeScript(seed: seed, kind: kind)
      if let mismatch = try ShapeRunner(kind: kind).run(script, &distribution) {
        run.problem(try ShapeRunner(kind: kind).report(on: mismatch, in: script).text)
      }
      run.count("transactions", script.transactions.count)
      run.finish()
    }
    print(
      "shapes in \(kind): \(distribution.pairCount) pairs, \(distribution.changeCount) changed, "
        + "\(distribution.ambiguousCount) ambiguous queries")
    guard Scale.isFull, seeds.count > 1 else { return }
    print(distribution.table)
    #expect(distribution.missing(in: kind) == [])
  }

  @Test func `a reduced script contains only what a mismatch needs`() throws {
    func transaction(_ statements: String...) -> ShapeTransaction {
      ShapeTransaction(statements: statements.map(ShapeStatement.sql), shapes: [])
    }
    let script = ShapeScript(
      setup: [.sql("x"), .sql("a"), .sql("x")], queries: [],
      transactions: [transaction("x"), transaction("x", "b", "x"), transaction("x", "x", "c"), transaction("x")])
    let reducer = ScriptReducer { script in ["a;", "b;", "c;"].allSatisfy(script.sql.contains) }
    #expect(try reducer.reduce(script).sql == "a;\n-- transaction 1:\nb;\n-- transaction 2:\nc;")
  }

  /// The control: a query that does not notice changes of one of its tables, and a copy that does not apply a change,
  /// are detected, and a small script is printed.
  @Test(arguments: [ShapeFault.ignoredTable, .omittedChange])
  func `a planted fault is detected and reported as a small script`(fault: ShapeFault) throws {
    var seed = Scale.seed
    while true {
      let run = Run("shapes-control", seed: seed)
      let runner = ShapeRunner(kind: .memory, fault: fault, fetchCount: 40)
      let script = ShapeScript(seed: seed, kind: .memory)
      var distribution = ShapeDistribution()
      if let mismatch = try runner.run(script, &distribution) {
        let report = try runner.report(on: mismatch, in: script)
        print(report.text)
        #expect(report.script.statementCount <= 4)
        #expect(try ShapeRunner(kind: .memory).run(report.script, &distribution) == nil, "It is another fault.")
        run.problem(report.text)
        return run.finishControl(planted: "\(fault)")
      }
      run.report()
      seed &+= 1
    }
  }
}
