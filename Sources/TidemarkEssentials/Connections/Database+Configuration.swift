extension Database {
  /// How the connection was opened.
  public internal(set) var configuration: Configuration {
    get { part(ConfigurationPart.self).configuration }
    set { part(ConfigurationPart.self).configuration = newValue }
  }
}

private final class ConfigurationPart: DatabasePart {
  var configuration = Configuration()
}
