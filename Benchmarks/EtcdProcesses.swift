import Foundation

/// Three etcd servers on the loopback interface, until the program ends or they are stopped.
final class EtcdProcesses {
  let endpoints: [URL]
  private let processes: [Process]

  static let executable = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// - Parameter folder: Where the servers store their logs.
  init(_ executable: String, in folder: URL) throws {
    // The process ID makes it unlikely that another program uses the ports.
    let first = 20_000 + Int(getpid()) % 5_000 * 8
    func url(_ port: Int) -> String { "http://127.0.0.1:\(port)" }
    let members = (0..<3).map { "s\($0)=\(url(first + 3 + $0))" }.joined(separator: ",")
    endpoints = (0..<3).compactMap { URL(string: url(first + $0)) }
    processes = try (0..<3).map { number in
      let process = Process()
      process.executableURL = URL(filePath: executable)
      process.arguments = [
        "--name", "s\(number)", "--data-dir", folder.appending(path: "etcd-\(first)-\(number)").path(),
        "--listen-client-urls", url(first + number), "--advertise-client-urls", url(first + number),
        "--listen-peer-urls", url(first + 3 + number), "--initial-advertise-peer-urls", url(first + 3 + number),
        "--initial-cluster", members, "--log-level", "error",
      ]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
  }

  deinit { stop() }

  func stop() {
    for process in processes where process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
  }
}
