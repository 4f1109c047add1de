// Package site is what the two servers in Go share: the command line, the pages, and what is said to the user.
//
// It does for Go what examples/site does for Rust.
package site

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The limits of the contract, which are the same in every server of the book.
const (
	// The longest request head, in bytes, and the most header lines in it.
	HeadLimit  = 16 * 1024
	MaxHeaders = 100
	// For the whole head, and for an idle connection that is kept.
	HeadTime = 5 * time.Second
	// For sending a response.
	WriteTime = 5 * time.Second
	// For reading what a client still sends after the last response, and the most bytes of it.
	DrainTime  = 1 * time.Second
	DrainLimit = 1024 * 1024
	// For what is in flight when a signal comes.
	GraceTime = 5 * time.Second
)

// Options is what a command line says.
type Options struct {
	Name       string
	Port       int
	KeepAlive  bool
	PanicRoute bool
	// Whether each request is logged. Only a server that `ReadLogOptions` has read this for does so.
	Log bool
}

// ReadOptions reads the command line. It ends the process with status 2 on anything that is no option.
func ReadOptions(name string) Options {
	return read(name, usage, false)
}

// ReadLogOptions does the same for a server that can log each request, which also takes `--log`.
func ReadLogOptions(name string) Options {
	const log = "  --log          write a line about each request to standard error\n"
	return read(name, usage+log, true)
}

func read(name, usage string, logs bool) Options {
	// Go ends a program that writes to a closed pipe on standard output or standard error.
	// A server must not end because nobody reads what it prints.
	signal.Ignore(syscall.SIGPIPE)

	options := Options{Name: name, Port: 8080}
	args := os.Args[1:]
	for len(args) > 0 {
		// `--port 8081` and `--port=8081` are both usual.
		flag, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		switch {
		case flag == "--port":
			if !joined && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			port, err := strconv.ParseUint(value, 10, 16)
			if err != nil {
				options.refuse(fmt.Sprintf("--port takes a whole number from 0 to 65535, not %q", value))
			}
			options.Port = int(port)
		case flag == "--keep-alive" && !joined:
			options.KeepAlive = true
		case flag == "--panic-route" && !joined:
			options.PanicRoute = true
		case flag == "--log" && logs && !joined:
			options.Log = true
		case (flag == "--help" || flag == "-h") && !joined:
			fmt.Printf(usage, name)
			os.Exit(0)
		default:
			options.refuse(fmt.Sprintf("%q is no option", flag))
		}
	}
	return options
}

const usage = `Usage: %s [OPTIONS]

  --port N       listen on this port of 127.0.0.1 (default 8080; 0 takes any free one)
  --keep-alive   let a connection carry more than one request
  --panic-route  add a page /panic whose handler panics, to see what that does
  -h, --help     print this
`

func (o Options) refuse(complaint string) {
	Complain(o.Name + ": " + complaint + "; --help lists the options")
	os.Exit(2)
}

// Listen binds 127.0.0.1 and says in one line that it listens. It ends the process with status 1 where the port
// can't be had.
func (o Options) Listen() net.Listener {
	// A listener of Go has the longest backlog that the system allows, and its connections send without delay.
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		why := err.Error()
		if errors.Is(err, syscall.EADDRINUSE) {
			why = "another program holds that port"
		}
		Complain(fmt.Sprintf("%s: cannot listen on 127.0.0.1:%d: %s; try --port 0, which takes any free one",
			o.Name, o.Port, why))
		os.Exit(1)
	}
	return &patient{Listener: listener}
}

// Announce prints the line. Call it when everything is in place, signals included.
func (o Options) Announce(listener net.Listener, threads string) {
	fmt.Printf("%s: listening on http://%s/ with %s, process id %d\n", o.Name, listener.Addr(), threads, os.Getpid())
}

// Complain prints a line on standard error. Where that is closed, nothing is lost but the line.
func Complain(line string) {
	fmt.Fprintln(os.Stderr, line)
}

// A patient listener waits when the system has run out of descriptors, instead of giving up.
type patient struct {
	net.Listener
	lastFailure time.Time
}

// Accept waits for the next connection. Its only error is that the listener has been closed.
func (p *patient) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		// Said once each time it begins: after a second without a failure, the next one is news.
		if time.Since(p.lastFailure) > time.Second {
			Complain(fmt.Sprintf("cannot accept a connection: %v. Trying again every 100 ms.", err))
		}
		p.lastFailure = time.Now()
		// Meanwhile connections end, and give their descriptors back.
		time.Sleep(100 * time.Millisecond)
	}
}
