import TidemarkEssentials

/// Not for you to call: how the library finds what this module adds.
@_cdecl("tidemark_foundation_services")
public func _foundationServices(_ destination: UnsafeMutableRawPointer) {
  destination.assumingMemoryBound(to: FoundationServices?.self).pointee = FoundationServices(
    functions: DatabaseFunction.localized, collations: DatabaseCollation.localized,
    observeSuspension: { SuspensionObserver($0) })
}
