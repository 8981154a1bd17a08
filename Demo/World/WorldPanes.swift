/// The panes of the market.
enum WorldPanes {
  static let eventsID = 2

  static let all = [
    pane(
      1, "Best sellers",
      """
      SELECT name AS product, sold, revenue / 100.0 AS "revenue €", stock FROM product ORDER BY revenue DESC, id
      """),
    pane(eventsID, "Latest events", "SELECT id, time, what, who, text FROM event ORDER BY id DESC LIMIT 50"),
    pane(
      3, "Revenue by category, in €",
      "SELECT category, SUM(revenue) / 100 AS revenue FROM product GROUP BY category ORDER BY revenue DESC",
      style: .bars),
    Pane(id: 4, title: "Engine", subject: .engine),
    pane(
      5, "Unpaid orders",
      """
      SELECT "order".id, customer.name AS customer, amount / 100.0 AS "amount €"
      FROM "order" JOIN customer ON customer.id = customerId WHERE state = 'placed' ORDER BY "order".id LIMIT 50
      """),
    Pane(id: 6, title: "Commits per second", subject: .commitRate),
  ]

  private static func pane(_ id: Pane.ID, _ title: String, _ sql: String, style: Pane.Style = .table) -> Pane {
    Pane(id: id, title: title, subject: .query(Query(trusted: sql), PageRequest()), style: style)
  }

  /// The number of the newest event in a page of events.
  static func newestEvent(in page: ResultPage) -> Int64? {
    if case .integer(let id)? = page.rows.first?.first { id } else { nil }
  }
}
