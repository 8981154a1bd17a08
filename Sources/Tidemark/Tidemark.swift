// This module contains the parts that require all of Foundation, and exports `TidemarkEssentials`.
@_exported public import TidemarkEssentials
