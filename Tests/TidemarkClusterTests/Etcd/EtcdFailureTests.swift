import Foundation
import Testing

@testable import TidemarkCluster

/// The conclusions of the client from failed requests and from responses.
@Suite struct EtcdFailureTests {
  @Test(arguments: [
    (503, #"{"error":"etcdserver: request timed out","code":14}"#, EtcdFailure.lost("etcdserver: request timed out")),
    (503, #"{"error":"etcdserver: no leader","code":14}"#, .lost("etcdserver: no leader")),
    (500, #"{"message":"etcdserver: leader changed","code":14}"#, .lost("etcdserver: leader changed")),
    (502, "<html>", .lost("status 502")),
    (200, "", .lost("status 200")),
    (401, #"{"error":"etcdserver: invalid auth token","code":16}"#, .unauthenticated("etcdserver: invalid auth token")),
    (400, #"{"error":"etcdserver: user name is empty","code":3}"#, .unauthenticated("etcdserver: user name is empty")),
    (403, #"{"error":"etcdserver: permission denied","code":7}"#, .rejected("etcdserver: permission denied")),
    (400, #"{"error":"etcdserver: request is too large","code":3}"#, .rejected("etcdserver: request is too large")),
    (
      429, #"{"error":"etcdserver: mvcc: database space exceeded","code":8}"#,
      .rejected("etcdserver: mvcc: database space exceeded")
    ),
    (429, #"{"error":"etcdserver: too many requests","code":8}"#, .notSent("etcdserver: too many requests")),
  ])
  func `a response is decided, lost, or about the token`(status: Int, body: String, failure: EtcdFailure) {
    #expect(EtcdFailure(status: status, body: Data(body.utf8)) == failure)
  }

  @Test func `pauses grow after each round of servers, up to half a second`() {
    var random = LogRandom(seed: 1)
    var backOff = LogBackOff(endpointCount: 3)
    let pauses = (0..<60).map { _ in backOff.next(using: &random) }
    #expect(pauses.prefix(3).allSatisfy { $0 <= .milliseconds(10) })
    #expect(pauses.allSatisfy { $0 >= .milliseconds(1) && $0 <= .milliseconds(500) })
    #expect(pauses.suffix(30).contains { $0 > .milliseconds(250) })
    #expect(Set(pauses).count == 60)
  }

  @Test func `keys are in the order of their numbers`() {
    let keys = EtcdKeys(prefix: "a/")
    let numbers: [UInt64] = [0, 1, 9, 10, 11, 999_999_999_999, 1_000_000_000_000, .max]
    let all = numbers.flatMap { [keys.entry($0), keys.behind($0)] } + [keys.endOfEntries]
    #expect(all.map { String(decoding: $0, as: UTF8.self) } == all.map { String(decoding: $0, as: UTF8.self) }.sorted())
    #expect(String(decoding: keys.entry(7), as: UTF8.self) == "a/log/00000000000000000007")
  }

  @Test(arguments: [
    #"{"header":{"revision":"5"}}"#, #"{"header":{"revision":"5"},"responses":[{}]}"#,
    #"{"header":{},"responses":[{"response_range":{}},{"response_range":{}},{"response_range":{}}]}"#,
    #"{"header":{"revision":"5"},"responses":[{"response_range":{"kvs":[{"value":"AQID"}]}},{"response_range":{}}]}"#,
  ])
  func `an incomplete response is an error`(json: String) throws {
    let response = try JSONDecoder().decode(EtcdMessage.TransactionResponse.self, from: Data(json.utf8))
    #expect(throws: LogError.self) { try EtcdState(response) }
  }
}
