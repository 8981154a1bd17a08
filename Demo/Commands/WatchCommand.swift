import Foundation

/// `Demo watch`.
struct WatchCommand {
  let options: WatchOptions

  init(_ options: WatchOptions) {
    self.options = options
  }

  func run() throws {
    let pool = try WatchedFile.open(options.path)
    let queries = try WatchedFile.queries(options.queries, in: pool)
    guard Demo.hasScreen, options.isPlain != true else {
      return try PlainWatch(options, pool, queries).run()
    }
    let panes = queries.enumerated().map { index, query in
      Pane(id: index + 1, title: query.sql, subject: .query(query, PageRequest()))
    }
    let name = URL(filePath: options.path).lastPathComponent
    let session = try Session(
      Dashboard(title: "Tidemark · \(name)", panes: panes), pool, interval: .seconds(options.interval))
    try session.run()
  }
}
