extension Database {
  /// The configuration of the connection.
  public internal(set) var configuration: Configuration {
    get { part(ConfigurationPart.self).configuration }
    set { part(ConfigurationPart.self).configuration = newValue }
  }
}

private final class ConfigurationPart: DatabasePart {
  var configuration = Configuration()
}
