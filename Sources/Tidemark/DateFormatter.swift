public import Foundation
public import TidemarkEssentials

extension DateFormatter: DatabaseDateFormatter {}
