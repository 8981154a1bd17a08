import StressSupport

// The one of the standard library has the same name.
typealias Mutex<Value> = StressSupport.Mutex<Value>
