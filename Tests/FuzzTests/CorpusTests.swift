import Foundation
import Testing

/// The stored corpora of `make fuzz`: inputs that reach different code. Each of them must pass the check of its target.
@Suite(.serialized) struct CorpusTests {
  @Test(arguments: FuzzTarget.all.map(\.name))
  func `all inputs of the corpus pass`(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = try Corpus.inputs(of: name)
    #expect(inputs.count >= 5)
    for input in inputs {
      #expect(throws: Never.self, "\(name): \(input.base64)") { try target.check(input.bytes) }
    }
  }

  @Test func `each corpus has a target`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Corpus.folder.path)
    let names = files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
    #expect(names.sorted() == FuzzTarget.all.map(\.name).sorted())
  }

  @Test func `the corpora are small`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Corpus.folder.path)
    let sizes = try files.map { try Data(contentsOf: Corpus.folder.appending(path: $0)).count }
    #expect(sizes.reduce(0, +) < 1_000_000)
  }

  @Test func `a planted fault is found by its input`() throws {
    #expect(throws: FuzzFailure.self) { try FuzzTarget.plantedFailure.check(Array("fault".utf8)) }
    try FuzzTarget.plantedFailure.check(Array("fault".utf8.dropLast()))
  }
}

/// The files with the stored inputs.
private enum Corpus {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  /// The inputs for a target: one in each line, in Base64.
  static func inputs(of target: String) throws -> [(base64: String, bytes: [UInt8])] {
    let text = try String(contentsOf: folder.appending(path: "\(target).txt"), encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let data = try #require(Data(base64Encoded: String(line)), "\(target): \(line)")
      return (String(line), Array(data))
    }
  }
}
