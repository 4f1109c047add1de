// go_http: the site on net/http, the HTTP server in Go's standard library.
//
// Run it, then open http://127.0.0.1:8080/ in a browser:
//
//	cargo xtask run go_http
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ladder/site"
)

// ANCHOR: main
func main() {
	options := site.ReadLogOptions("go_http")
	var serves http.Handler = &handler{site: site.New(options), keepAlive: options.KeepAlive}
	if options.Log {
		serves = logged(serves)
	}
	server := &http.Server{
		Handler: serves,
		// Without these two lines a client that says nothing is connected for ever.
		ReadHeaderTimeout: site.HeadTime,
		IdleTimeout:       site.HeadTime,
		// The library allows 4 KiB more than this.
		MaxHeaderBytes: site.HeadLimit - 4096,
		// Else the library answers `OPTIONS *` itself.
		DisableGeneralOptionsHandler: true,
	}
	listener := &listening{Listener: options.Listen(), open: map[*connection]bool{}}
	// When no connection comes any more. The library takes a client that has sent nothing yet for a busy one.
	server.RegisterOnShutdown(listener.endSilent)
	// From here on the signals arrive in this channel, instead of ending the process.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	threads := runtime.GOMAXPROCS(0)
	options.Announce(listener, fmt.Sprintf("a goroutine for each connection, %d running at a time", threads))

	// `go` starts a goroutine, and main goes on. Serve starts one more for each connection that it accepts.
	go server.Serve(listener)
	<-signals
	// A second signal ends the process at once, as it does any program that catches none.
	signal.Stop(signals)
	ctx, cancel := context.WithTimeout(context.Background(), site.GraceTime)
	defer cancel()
	// Stops accepting, closes the connections that are idle, and waits for the others.
	if server.Shutdown(ctx) != nil {
		os.Exit(1)
	}
}

// ANCHOR_END: main

// logged is a handler that writes a line about each request, as the server of source 004 does.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		next.ServeHTTP(w, r)
		log.Printf("%s %s in %v", r.Method, r.URL.Path, time.Since(begun))
	})
}

// ANCHOR: handler

type handler struct {
	site      *site.Site
	keepAlive bool
}

// ServeHTTP answers one request. The library has read the head of it, and calls this in the connection's goroutine.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := site.Refusal(refusal(r))
	closes := true
	if answer.Status == http.StatusOK {
		// Past a body that nobody reads the next request can't be found: such a connection ends.
		closes = !h.keepAlive || r.Close || r.ContentLength != 0
		answer = h.site.Answer(r.Method, path(r), r.URL.RawQuery)
	}
	header := w.Header()
	header.Set("Content-Type", answer.ContentType)
	header.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	if answer.Status == http.StatusMethodNotAllowed {
		header.Set("Allow", "GET, HEAD")
	}
	if closes {
		header.Set("Connection", "close")
	} else if r.ProtoMinor == 0 {
		// A 1.0 client waits for these words.
		header.Set("Connection", "keep-alive")
	}
	// A client that does not read holds the connection no longer than this. The server's own WriteTimeout
	// would begin with the request, and cut a long /sleep off.
	controller := http.NewResponseController(w)
	controller.SetWriteDeadline(time.Now().Add(site.WriteTime))
	if r.ContentLength != 0 {
		// The library reads the rest of the body before it closes, and would wait for it as long as the client likes.
		controller.SetReadDeadline(time.Now().Add(site.DrainTime))
	}
	w.WriteHeader(answer.Status)
	w.Write(answer.Body)
}

// ANCHOR_END: handler

// path is the path of the target as it was sent: r.URL.Path has it decoded, and `/%66ile` is no page of this site.
func path(r *http.Request) string {
	if path := r.URL.EscapedPath(); path != "" {
		return path
	}
	return "/"
}

// refusal is what the contract refuses and net/http lets through: 400, 431 or 505; 200 for a request that is fine.
func refusal(r *http.Request) int {
	// The library keeps Host elsewhere.
	lines := 1
	for _, values := range r.Header {
		lines += len(values)
	}
	switch {
	case lines > site.MaxHeaders:
		return http.StatusRequestHeaderFieldsTooLarge
	case r.ProtoMajor != 1 || r.ProtoMinor > 1:
		return http.StatusHTTPVersionNotSupported
	case r.Host == "" && r.ProtoMinor == 1,
		r.Host != "" && !site.IsAuthority(r.Host),
		r.URL.User != nil,
		strings.ContainsFunc(r.RequestURI, func(letter rune) bool { return letter == '#' || letter > 127 }),
		r.Method == http.MethodConnect,
		r.RequestURI == "*" && (r.Method == http.MethodGet || r.Method == http.MethodHead),
		r.URL.Scheme != "" && (r.URL.Scheme != "http" || r.URL.Host == ""):
		return http.StatusBadRequest
	}
	return http.StatusOK
}
