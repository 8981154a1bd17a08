// All of the library. What needs only a part of Foundation is in `TidemarkEssentials`.
@_exported public import TidemarkEssentials
