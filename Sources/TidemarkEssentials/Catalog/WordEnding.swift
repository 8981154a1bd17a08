/// An ending of words, and its replacement in the inflected word.
///
/// The stem before the ending is preserved. `^` means that the word starts with the stem. `C` matches a character other
/// than `aeiouy`. Endings are written in lower case and match letters of any case.
///
/// The rules do not use regular expressions. The standard library's regular expressions need more memory than all names
/// of a database, and Foundation's regular expressions require all of Foundation.
struct WordEnding: Sendable {
  let stems: [String]
  let ending: String
  let replacement: String

  init(_ stems: [String], _ ending: String, _ replacement: String) {
    self.stems = stems
    self.ending = ending
    self.replacement = replacement
  }

  /// Returns the number of trailing characters of a lower-case word that the replacement replaces, or nil if the word
  /// does not match.
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
