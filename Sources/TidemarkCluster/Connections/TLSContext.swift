import Foundation

/// The settings of ``LogTLS`` in the form that OpenSSL uses. The files were read.
final class TLSContext: @unchecked Sendable {
  // Connections on any thread may use the context at the same time, because it does not change after the initializer.
  let context: OpenSSL.Pointer
  let library: OpenSSL
  private let serverName: String?

  /// Reads the files.
  ///
  /// - Throws: ``TLSError/unusable(_:)`` if a file could not be used, or the library is missing.
  init(_ settings: LogTLS) throws(TLSError) {
    let library = try OpenSSL.shared.get()
    guard let context = library.SSL_CTX_new(library.TLS_client_method()) else {
      throw .unusable("OpenSSL could not create a context: \(library.firstError.text)")
    }
    self.library = library
    self.context = context
    serverName = settings.serverName
    // From here on, the deinitializer releases the context, also after an error.
    _ = library.SSL_CTX_ctrl(context, OpenSSL.Constant.setMinimumVersion, OpenSSL.Constant.tls12, nil)
    library.SSL_CTX_set_verify(context, OpenSSL.Constant.verifyPeer, nil)
    // Without this, OpenSSL asks for the passphrase of a key on the terminal.
    library.SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    if let file = settings.authorities {
      try use(file) { library.SSL_CTX_load_verify_locations(context, $0, nil) }
    } else {
      _ = library.SSL_CTX_set_default_verify_paths(context)
    }
    if let identity = settings.identity {
      try use(identity.certificateChain) { library.SSL_CTX_use_certificate_chain_file(context, $0) }
      // This fails also if the key is not the key of the certificate.
      try use(identity.privateKey) { library.SSL_CTX_use_PrivateKey_file(context, $0, OpenSSL.Constant.filesArePEM) }
    }
  }

  deinit { library.SSL_CTX_free(context) }

  /// Creates the client's end of one connection.
  ///
  /// - Parameter host: The host to which the connection leads.
  func makeSession(host: String) throws(TLSError) -> TLSSession {
    try TLSSession(self, serverName: serverName ?? host)
  }

  private func use(_ file: URL, _ body: (UnsafePointer<CChar>) -> CInt) throws(TLSError) {
    library.ERR_clear_error()
    guard file.path.withCString(body) == 1 else { throw .unusable("\(file.path): \(library.firstError.text)") }
  }
}

/// The current context of a client: it is created again when one of the files was replaced.
struct TLSContextCache {
  private let settings: LogTLS
  private var current: (context: TLSContext, versions: [FileVersion])?

  init(_ settings: LogTLS) { self.settings = settings }

  /// Returns a context with the current contents of the files.
  ///
  /// While the files cannot be used, for example because the certificate was replaced and its key was not yet, the
  /// context with the previous contents remains in use.
  ///
  /// - Throws: ``TLSError/unusable(_:)`` if there has not been a context before.
  mutating func context() throws(TLSError) -> TLSContext {
    // The versions are read first: if a file changes meanwhile, the next call reads it again.
    let versions = settings.files.map(FileVersion.init)
    if let current, current.versions == versions { return current.context }
    do throws(TLSError) {
      let context = try TLSContext(settings)
      current = (context, versions)
      return context
    } catch {
      guard let current else { throw error }
      return current.context
    }
  }

  /// What changes when a file is replaced or written.
  private struct FileVersion: Equatable {
    let modified: Date?
    let identity: UInt64?
    let byteCount: UInt64?

    init(_ file: URL) {
      // A missing file has a version, too: reading it reports the error.
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
      modified = attributes?[.modificationDate] as? Date
      identity = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
      byteCount = (attributes?[.size] as? NSNumber)?.uint64Value
    }
  }
}
