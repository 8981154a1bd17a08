/// The state of a node of a cluster, and its counters.
struct NodeState: Equatable, Sendable {
  var name: String
  var position: UInt64
  var appended: Int
  var refused: Int
  var applied: Int

  var lines: [FigureLine] {
    [
      FigureLine("position in the log", NumberText.grouped(Int(clamping: position)), short: "position"),
      FigureLine(
        "entries appended / refused / applied",
        "\(NumberText.grouped(appended)) / \(NumberText.grouped(refused)) / \(NumberText.grouped(applied))",
        short: "app/ref/appl"),
    ]
  }
}
