/// What takes all of Foundation, which takes a short program longer to load than all the rest of its work.
///
/// The module `Tidemark` has it, and everything that is here. A program that has only this one does without.
package struct FoundationServices: Sendable {
  /// Those that every connection has, beside the ones that need nothing.
  package var functions: [DatabaseFunction]
  package var collations: [DatabaseCollation]

  /// Has closures called when the process is about to be put to sleep, and when it goes on, as long as what is answered
  /// lives.
  package var observeSuspension: @Sendable (Suspending) -> any AnyObject & Sendable

  /// What is called when the process is put to sleep.
  package struct Suspending: Sendable {
    package var suspend: @Sendable () -> Void
    package var resume: @Sendable () -> Void
  }

  package init(
    functions: [DatabaseFunction], collations: [DatabaseCollation],
    observeSuspension: @escaping @Sendable (Suspending) -> any AnyObject & Sendable
  ) {
    self.functions = functions
    self.collations = collations
    self.observeSuspension = observeSuspension
  }

  /// Those of the program; nil where it does without.
  package static let current = FoundationModule.services(FoundationServices.self)
}
