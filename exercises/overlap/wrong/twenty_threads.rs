// Wrong: twenty threads for all connections: the twenty-first client waits for another.
// The check says: threads for 30 connections

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves clients forever.
pub fn serve(listener: TcpListener, handle: impl Fn(TcpStream) + Send + Sync + 'static) {
    let handle = Arc::new(handle);
    let listener = Arc::new(listener);
    let accept = || {
        let listener = Arc::clone(&listener);
        let handle = Arc::clone(&handle);
        thread::spawn(move || listener.incoming().flatten().for_each(&*handle))
    };
    let threads: Vec<_> = (0..20).map(|_| accept()).collect();
    for thread in threads {
        let _ = thread.join();
    }
}
