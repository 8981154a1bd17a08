extension Database {
  /// The configuration of the connection.
  public internal(set) var configuration: Configuration {
    get { moduleState(ConfigurationState.self).configuration }
    set { moduleState(ConfigurationState.self).configuration = newValue }
  }
}

private final class ConfigurationState: DatabaseModuleState {
  var configuration = Configuration()
}
