// go_tcp: the site over plain TCP, a goroutine for each connection.
//
// Run it, then open http://127.0.0.1:8080/ in a browser:
//
//	cargo xtask run go_tcp
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"ladder/site"
)

// ANCHOR: main
func main() {
	options := site.ReadOptions("go_tcp")
	server := &server{site: site.New(options), keepAlive: options.KeepAlive}
	listener := options.Listen()
	// From here on the two signals end this context, instead of the process.
	closing, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	server.closing = closing
	threads := runtime.GOMAXPROCS(0)
	options.Announce(listener, fmt.Sprintf("a goroutine for each connection, %d running at a time", threads))

	context.AfterFunc(closing, func() {
		// A second signal ends the process at once, as it does any program that catches none.
		release()
		listener.Close()
		// If main gets to its end first, the process is gone before this sleep is over.
		time.Sleep(site.GraceTime)
		os.Exit(1)
	})
	server.serve(listener)
}

// ANCHOR_END: main

type server struct {
	site      *site.Site
	keepAlive bool
	// Ended when the server is to stop.
	closing context.Context
}

// ANCHOR: serve

// serve accepts connections until the listener is closed, then waits for those that are in flight.
func (s *server) serve(listener net.Listener) {
	var connections sync.WaitGroup
	for {
		conn, err := listener.Accept()
		if err != nil {
			break
		}
		connections.Add(1)
		// `go` starts a goroutine: a call that the runtime runs beside this loop. It begins with a stack of
		// a few KiB, which grows when it must, so that there may be a hundred thousand of them.
		go func() {
			defer connections.Done()
			s.handle(conn)
		}()
	}
	connections.Wait()
}

// ANCHOR_END: serve

// ANCHOR: handle

// handle serves one connection from its first byte to its last. Like rung 1, it reads, waits and writes by calls
// that return when they are done. Below them the runtime waits for the socket with epoll, as Tokio does.
func (s *server) handle(conn net.Conn) {
	// What is deferred runs when this function ends, also by a panic, the last one first.
	defer conn.Close()
	defer func() {
		// A panic that nothing stops ends the process, with all other connections.
		if reason := recover(); reason != nil {
			site.Complain(fmt.Sprintf("a handler panicked: %v", reason))
		}
	}()
	// When the server closes, a read that waits returns at once: its time is over.
	woken := make(chan struct{})
	leaveAsleep := context.AfterFunc(s.closing, func() {
		conn.SetReadDeadline(time.Now())
		close(woken)
	})
	defer leaveAsleep()

	received := make([]byte, 0, 4096)
	for keep := true; keep; {
		request, status := s.nextRequest(conn, &received)
		if status == gone {
			return
		}
		answer := site.Refusal(status)
		keep = false
		if status == whole {
			answer = s.site.Answer(request.method, request.path, request.query)
			keep = s.keepAlive && request.keepAlive && !request.hasBody && s.closing.Err() == nil
		}
		conn.SetWriteDeadline(time.Now().Add(site.WriteTime))
		if _, err := conn.Write(encode(answer, request, keep)); err != nil {
			return
		}
	}
	if !leaveAsleep() {
		// The wake-up has begun, in another goroutine. It must not come late and end a read of the drain.
		<-woken
	}
	drain(conn)
}

// nextRequest reads until a request head is whole, and takes it off what was received.
func (s *server) nextRequest(conn net.Conn, received *[]byte) (request, int) {
	until := time.Now().Add(site.HeadTime)
	for {
		request, length, status := parse(*received)
		if status != unfinished {
			// What came behind the head moves to the front.
			*received = slices.Delete(*received, 0, length)
			return request, status
		}
		conn.SetReadDeadline(until)
		// The order matters: a server that closes after this line ends the read that follows.
		if s.closing.Err() != nil && len(*received) == 0 {
			return request, gone
		}
		*received = slices.Grow(*received, 1)
		count, err := conn.Read((*received)[len(*received):cap(*received)])
		*received = (*received)[:len(*received)+count]
		timeIsOver := !time.Now().Before(until)
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return request, gone
		// Half a request deserves an answer. A client that never said a word does not wait for one.
		case timeIsOver && len(*received) > 0:
			return request, 408
		case timeIsOver:
			return request, gone
		}
	}
}

// ANCHOR_END: handle

// drain tells the client that the answer is whole, and reads what it still sends. Closing with unread input makes
// the kernel send a reset, and a reset can destroy the answer (RFC 9112, section 9.6).
func drain(conn net.Conn) {
	if conn.(*net.TCPConn).CloseWrite() != nil {
		return
	}
	conn.SetReadDeadline(time.Now().Add(site.DrainTime))
	io.CopyN(io.Discard, conn, site.DrainLimit)
}
