import Foundation

/// The command `Demo watch`.
struct WatchCommand {
  let options: WatchOptions

  init(_ options: WatchOptions) {
    self.options = options
  }

  func run() throws {
    let file = try WatchedFile(options.path)
    let queries = try WatchedFile.queries(options.queries, in: file.pool)
    guard Demo.hasScreen, options.isPlain != true else {
      var watch = try PlainWatch(options, file, queries)
      return try watch.run()
    }
    let panes = queries.enumerated().map { index, query in
      Pane(id: index + 1, title: query.title, subject: .query(query, PageRequest()))
    }
    let name = URL(filePath: options.path).lastPathComponent
    let session = try Session(
      Dashboard(title: "Tidemark · \(name)", panes: panes), file, interval: .seconds(options.interval))
    try session.run()
  }
}
