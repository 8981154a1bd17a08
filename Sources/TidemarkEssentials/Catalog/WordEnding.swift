/// What words end in, and what takes its place when they are inflected.
///
/// A stem stands in front of the ending and is kept. `^` says that the word begins with it; `C` stands for one
/// character that is not among `aeiouy`. An ending is written in small letters and found in letters of any case.
///
/// There are no regular expressions here: those of the standard library cost more memory than all names of a database,
/// and those of Foundation cost Foundation.
struct WordEnding: Sendable {
  let stems: [String]
  let ending: String
  let replacement: String

  init(_ stems: [String], _ ending: String, _ replacement: String) {
    self.stems = stems
    self.ending = ending
    self.replacement = replacement
  }

  /// How many characters of a word in small letters make place for the replacement; nil when it does not end so.
  func length(in word: String) -> Int? {
    guard word.hasSuffix(ending) else { return nil }
    let kept = word.dropLast(ending.count)
    let fits = stems.contains { stem in
      if stem.first == "^" { return kept == stem.dropFirst() }
      if stem == "C" { return kept.last.map { !"aeiouy".contains($0) } ?? false }
      return kept.hasSuffix(stem)
    }
    return fits ? ending.count : nil
  }
}
