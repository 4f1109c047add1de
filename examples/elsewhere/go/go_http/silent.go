package main

import (
	"net"
	"sync"
	"sync/atomic"
)

// A listening listener knows the connections that it has accepted.
type listening struct {
	net.Listener
	mutex sync.Mutex
	open  map[*connection]bool
}

// A connection knows whether its client has sent a byte.
type connection struct {
	*net.TCPConn
	listener *listening
	heard    atomic.Bool
}

// Accept waits for the next connection.
func (l *listening) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	accepted := &connection{TCPConn: conn.(*net.TCPConn), listener: l}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.open[accepted] = true
	return accepted, nil
}

// endSilent ends the connections of the clients that have asked for nothing. It only closes the input: a request that
// lies there unread can still be read and answered.
func (l *listening) endSilent() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for conn := range l.open {
		if !conn.heard.Load() {
			conn.CloseRead()
		}
	}
}

func (c *connection) Read(bytes []byte) (int, error) {
	count, err := c.TCPConn.Read(bytes)
	if count > 0 {
		c.heard.Store(true)
	}
	return count, err
}

func (c *connection) Close() error {
	c.listener.mutex.Lock()
	delete(c.listener.open, c)
	c.listener.mutex.Unlock()
	return c.TCPConn.Close()
}
