import Foundation

/// The failure of a request to one server, and its consequence for the client.
enum EtcdFailure: Error, Equatable {
  /// The server was not reached. The request has no effect.
  case notSent(String)

  /// The request may have been executed, and may be executed later.
  case lost(String)

  /// The client has not accepted the server, or the server has not accepted the client. The request has no effect.
  ///
  /// The certificate of another server may be a different one.
  case insecure(String)

  /// The token is missing, or no longer valid. The request has no effect.
  case unauthenticated(String)

  /// The server has refused the request, which has no effect. Another server would refuse it, too.
  case rejected(String)

  /// Interprets the response of a server that is not a success.
  ///
  /// The body contains the code of gRPC. Codes 3, 5 to 9, 11, and 12 are decisions about the request; 16 and some
  /// requests with code 3 are about the token. Everything else (no leader, timeout, a proxy) decides nothing.
  init(status: Int, body: Data) {
    let failure = try? JSONDecoder().decode(EtcdMessage.Failure.self, from: body)
    let message = failure?.error ?? failure?.message ?? "status \(status)"
    if message.contains("auth token") || message.contains("auth store is old") || message.contains("user name is empty")
    {
      self = .unauthenticated(message)
      return
    }
    if status == 400, String(decoding: body, as: UTF8.self).contains("HTTP request to an HTTPS server") {
      self = .insecure("the server requires TLS: use the scheme https")
      return
    }
    if message.contains("too many requests") {
      self = .notSent(message)
      return
    }
    switch failure?.code {
    case 3, 5, 6, 7, 8, 9, 11, 12: self = .rejected(message)
    case 16: self = .unauthenticated(message)
    default: self = .lost(message)
    }
  }

  /// Interprets an error of the connection.
  ///
  /// - Parameter mayHaveArrived: Whether parts of the request were sent.
  init(_ error: TLSError, at endpoint: URL, mayHaveArrived: Bool) {
    switch error {
    case .unusable(let message): self = .rejected(message)
    case .refused(let message): self = .insecure("\(endpoint): \(message)")
    case .lost(let message):
      self = mayHaveArrived ? .lost("\(endpoint): \(message)") : .notSent("\(endpoint): \(message)")
    }
  }

  /// The reason, for people.
  var message: String {
    switch self {
    case .notSent(let message), .lost(let message), .insecure(let message), .unauthenticated(let message),
      .rejected(let message):
      message
    }
  }
}
