import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The functions of OpenSSL that clients with TLS use.
///
/// The library is loaded when the first context is created. So programs without TLS do not depend on it, and the
/// package requires no header of it: `Documentation/Decisions/TLSIsLoadedAtRunTime.md`. Versions 1.1.1 and 3 have these
/// functions with the same signatures. Each has the name of the C function, which its documentation describes.
struct OpenSSL: Sendable {
  typealias Pointer = OpaquePointer

  let TLS_client_method: @convention(c) @Sendable () -> Pointer?
  let SSL_CTX_new: @convention(c) @Sendable (Pointer?) -> Pointer?
  let SSL_CTX_free: @convention(c) @Sendable (Pointer?) -> Void
  let SSL_CTX_ctrl: @convention(c) @Sendable (Pointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
  let SSL_CTX_set_verify: @convention(c) @Sendable (Pointer?, CInt, Pointer?) -> Void
  let SSL_CTX_set_default_passwd_cb: @convention(c) @Sendable (Pointer?, PassphraseCallback?) -> Void
  let SSL_CTX_set_default_verify_paths: @convention(c) @Sendable (Pointer?) -> CInt
  let SSL_CTX_load_verify_locations:
    @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> CInt
  let SSL_CTX_use_certificate_chain_file: @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?) -> CInt
  let SSL_CTX_use_PrivateKey_file: @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?, CInt) -> CInt

  let SSL_new: @convention(c) @Sendable (Pointer?) -> Pointer?
  let SSL_free: @convention(c) @Sendable (Pointer?) -> Void
  let SSL_ctrl: @convention(c) @Sendable (Pointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
  let SSL_set_bio: @convention(c) @Sendable (Pointer?, Pointer?, Pointer?) -> Void
  let SSL_set_connect_state: @convention(c) @Sendable (Pointer?) -> Void
  let SSL_do_handshake: @convention(c) @Sendable (Pointer?) -> CInt
  let SSL_read: @convention(c) @Sendable (Pointer?, UnsafeMutableRawPointer?, CInt) -> CInt
  let SSL_write: @convention(c) @Sendable (Pointer?, UnsafeRawPointer?, CInt) -> CInt
  let SSL_get_error: @convention(c) @Sendable (Pointer?, CInt) -> CInt
  let SSL_get_verify_result: @convention(c) @Sendable (Pointer?) -> CLong
  let SSL_get0_param: @convention(c) @Sendable (Pointer?) -> Pointer?

  let X509_VERIFY_PARAM_set1_host: @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?, Int) -> CInt
  let X509_VERIFY_PARAM_set1_ip_asc: @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?) -> CInt
  let X509_VERIFY_PARAM_set_hostflags: @convention(c) @Sendable (Pointer?, CUnsignedInt) -> Void
  let X509_verify_cert_error_string: @convention(c) @Sendable (CLong) -> UnsafePointer<CChar>?

  let BIO_s_mem: @convention(c) @Sendable () -> Pointer?
  let BIO_new: @convention(c) @Sendable (Pointer?) -> Pointer?
  let BIO_free: @convention(c) @Sendable (Pointer?) -> CInt
  let BIO_read: @convention(c) @Sendable (Pointer?, UnsafeMutableRawPointer?, CInt) -> CInt
  let BIO_write: @convention(c) @Sendable (Pointer?, UnsafeRawPointer?, CInt) -> CInt

  let ERR_clear_error: @convention(c) @Sendable () -> Void
  let ERR_peek_error: @convention(c) @Sendable () -> CUnsignedLong
  let ERR_reason_error_string: @convention(c) @Sendable (CUnsignedLong) -> UnsafePointer<CChar>?

  typealias PassphraseCallback =
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt

  /// The constants of OpenSSL's headers.
  enum Constant {
    static let verifyPeer: CInt = 1
    static let filesArePEM: CInt = 1
    static let setMinimumVersion: CInt = 123
    static let tls12: CLong = 0x0303
    static let setServerName: CInt = 55
    static let serverNameIsHost: CLong = 0
    static let neverCheckSubject: CUnsignedInt = 0x20
    static let noPartialWildcards: CUnsignedInt = 0x4
    static let certificateIsValid: CLong = 0
    static let errorIsWantRead: CInt = 2
    static let errorIsEnd: CInt = 6
    static let noExitHandler: UInt64 = 0x80000
  }

  // MARK: - Loading

  #if canImport(Darwin)
    static let fileNames = ["libssl.3.dylib"]
  #else
    static let fileNames = ["libssl.so.3", "libssl.so.1.1", "libssl.so"]
  #endif

  /// The library of the process; an error if it could not be loaded.
  static let shared = Result { () throws(TLSError) in try OpenSSL(fileNames: fileNames) }

  /// Loads the library.
  ///
  /// - Parameter fileNames: The names of its file, the preferred one first.
  /// - Throws: ``TLSError/unusable(_:)`` if no file could be loaded, or a function is missing.
  init(fileNames: [String]) throws(TLSError) {
    // It stays loaded until the end of the process.
    let library = fileNames.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    guard let library else {
      throw .unusable("TLS requires the library of OpenSSL 3, \(fileNames[0]): install it, for example libssl3")
    }
    func function<Function>(_ name: String) throws(TLSError) -> Function {
      // The search includes libcrypto, on which libssl depends.
      guard let address = dlsym(library, name) else {
        throw .unusable("TLS requires OpenSSL 1.1.1 or 3: the installed library has no function \(name)")
      }
      return unsafeBitCast(address, to: Function.self)
    }
    // Otherwise a handler releases the memory of the library at exit, while other threads still use it.
    let initialize: @convention(c) (UInt64, OpaquePointer?) -> CInt = try function("OPENSSL_init_crypto")
    _ = initialize(Constant.noExitHandler, nil)

    TLS_client_method = try function("TLS_client_method")
    SSL_CTX_new = try function("SSL_CTX_new")
    SSL_CTX_free = try function("SSL_CTX_free")
    SSL_CTX_ctrl = try function("SSL_CTX_ctrl")
    SSL_CTX_set_verify = try function("SSL_CTX_set_verify")
    SSL_CTX_set_default_passwd_cb = try function("SSL_CTX_set_default_passwd_cb")
    SSL_CTX_set_default_verify_paths = try function("SSL_CTX_set_default_verify_paths")
    SSL_CTX_load_verify_locations = try function("SSL_CTX_load_verify_locations")
    SSL_CTX_use_certificate_chain_file = try function("SSL_CTX_use_certificate_chain_file")
    SSL_CTX_use_PrivateKey_file = try function("SSL_CTX_use_PrivateKey_file")
    SSL_new = try function("SSL_new")
    SSL_free = try function("SSL_free")
    SSL_ctrl = try function("SSL_ctrl")
    SSL_set_bio = try function("SSL_set_bio")
    SSL_set_connect_state = try function("SSL_set_connect_state")
    SSL_do_handshake = try function("SSL_do_handshake")
    SSL_read = try function("SSL_read")
    SSL_write = try function("SSL_write")
    SSL_get_error = try function("SSL_get_error")
    SSL_get_verify_result = try function("SSL_get_verify_result")
    SSL_get0_param = try function("SSL_get0_param")
    X509_VERIFY_PARAM_set1_host = try function("X509_VERIFY_PARAM_set1_host")
    X509_VERIFY_PARAM_set1_ip_asc = try function("X509_VERIFY_PARAM_set1_ip_asc")
    X509_VERIFY_PARAM_set_hostflags = try function("X509_VERIFY_PARAM_set_hostflags")
    X509_verify_cert_error_string = try function("X509_verify_cert_error_string")
    BIO_s_mem = try function("BIO_s_mem")
    BIO_new = try function("BIO_new")
    BIO_free = try function("BIO_free")
    BIO_read = try function("BIO_read")
    BIO_write = try function("BIO_write")
    ERR_clear_error = try function("ERR_clear_error")
    ERR_peek_error = try function("ERR_peek_error")
    ERR_reason_error_string = try function("ERR_reason_error_string")
  }

  /// The first error of the last operations of this thread since `ERR_clear_error`: its reason, and its text.
  ///
  /// The reason of an alert that the peer has sent is 1000 and its number.
  var firstError: (reason: UInt, text: String) {
    let code = ERR_peek_error()
    // Version 3 marks errors of the system with this bit.
    if code & 0x8000_0000 != 0 { return (0, String(cString: strerror(CInt(code & 0x7fff_ffff)))) }
    let text = ERR_reason_error_string(code).map { String(cString: $0) }
    return (UInt(code & 0xfff), text ?? "error \(code)")
  }
}

/// The failure of TLS.
enum TLSError: Error, Hashable {
  /// The client cannot use TLS with any server: the library, or a file, is missing or unusable.
  case unusable(String)

  /// The client has not accepted the server, or the server has not accepted the client.
  case refused(String)

  /// The connection was lost.
  case lost(String)
}
