/// Starts the server above, and three clients in the same program; the first asks for the page that takes time.
fn main() {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|it| it.local_addr());
    let port = free.expect("a port is free").port();
    std::thread::spawn(move || serve(port));
    std::thread::sleep(std::time::Duration::from_millis(100));
    let begun = std::time::Instant::now();
    let clients = [("/sleep", 0), ("/", 100), ("/", 100)].map(|(path, later)| {
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(later));
            let sent = begun.elapsed().as_millis();
            let words = ask(port, path).unwrap_or_else(|error| error.to_string());
            println!("client {path} {sent} {} {words}", begun.elapsed().as_millis());
        })
    });
    for client in clients {
        client.join().expect("no client panics");
    }
}

/// Asks for a page and returns the status of the response.
fn ask(port: u16, path: &str) -> std::io::Result<String> {
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    std::io::Write::write_all(&mut stream, request.as_bytes())?;
    let response = std::io::read_to_string(stream)?;
    Ok(response.lines().next().unwrap_or("no response").replace("HTTP/1.1 ", ""))
}
