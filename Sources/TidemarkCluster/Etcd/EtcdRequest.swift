import Foundation

/// Requests to etcd's HTTP/JSON gateway, in the form in which they are sent.
enum EtcdRequest {
  /// The versions of HTTP that the log uses.
  enum Version: String {
    /// The server closes the connection after its response, and does not send it in chunks.
    case http10 = "HTTP/1.0"

    /// The connection can be used again.
    case http11 = "HTTP/1.1"
  }

  /// Returns a POST request.
  static func message(
    path: String, body: Data, at endpoint: URL, headers: [String: String] = [:], version: Version = .http11
  ) -> [UInt8] {
    let url = endpoint.appendingPathComponent("v3").appendingPathComponent(path)
    let fields = headers.map { "\($0): \($1)\r\n" }.joined()
    let head =
      "POST \(url.path) \(version.rawValue)\r\nHost: \(url.host ?? ""):\(port(of: url))\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\(fields)\r\n"
    return Array(head.utf8) + body
  }

  /// The port of an endpoint.
  static func port(of url: URL) -> Int { url.port ?? (url.scheme == "https" ? 443 : 80) }
}
