package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// The values of Content-Type.
const (
	text = "text/plain; charset=utf-8"
	html = "text/html; charset=utf-8"
)

// Answer is a response before it is bytes.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Text is an answer of plain text.
func Text(status int, body string) Answer {
	return Answer{status, text, []byte(body)}
}

// Refusal is the answer to a request that is refused: its status in words.
func Refusal(status int) Answer {
	return Text(status, fmt.Sprintf("%d %s\n", status, Reason(status)))
}

// Reason is the reason phrase of a status (RFC 9110, section 15). Go's own list has older names for one of them.
func Reason(status int) string {
	if status == http.StatusRequestURITooLong {
		return "URI Too Long"
	}
	return http.StatusText(status)
}

// Site is what all connections share.
type Site struct {
	index      []byte
	hello      string
	panicRoute bool
	// Requests to /tenth so far, over all connections.
	tenth atomic.Uint64
}

// New reads the page that is served from memory.
func New(options Options) *Site {
	pages := findPages()
	index, err := os.ReadFile(filepath.Join(pages, "index.html"))
	if err != nil {
		Complain(fmt.Sprintf("%s: cannot read its page: %v", options.Name, err))
		os.Exit(1)
	}
	return &Site{index: index, hello: filepath.Join(pages, "hello.html"), panicRoute: options.PanicRoute}
}

// findPages finds the folder of the pages, in the repository in which this process was started or was built. Where
// this file was when it was compiled would be wrong: a repository may be moved.
func findPages() string {
	inRepository := filepath.Join("examples", "site")
	starts := []string{}
	if here, err := os.Getwd(); err == nil {
		starts = append(starts, here)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, folder := range starts {
		for {
			pages := filepath.Join(folder, inRepository)
			if _, err := os.Stat(filepath.Join(pages, "index.html")); err == nil {
				return pages
			}
			parent := filepath.Dir(folder)
			if parent == folder {
				break
			}
			folder = parent
		}
	}
	// It is not there, and whoever opens a page says so.
	return inRepository
}

// ANCHOR: answer

// Answer does what a request asks for, and returns the answer.
//
// It simply waits where there is something to wait for. Only the goroutine stops there: Go's runtime
// puts it aside, and the operating-system thread that ran it runs another.
func (s *Site) Answer(method, path, query string) Answer {
	switch path {
	case "/", "/sleep", "/tenth", "/file", "/work", "*":
	default:
		if path == "/panic" && s.panicRoute {
			panic("somebody asked for /panic")
		}
		return Text(404, "404 Not Found: this site has the pages /, /sleep, /tenth, /file and /work.\n")
	}
	if method != "GET" && method != "HEAD" {
		return Text(405, "405 Method Not Allowed: this site answers GET and HEAD.\n")
	}
	answer, err := s.page(path, query)
	if err != nil {
		return Text(400, fmt.Sprintf("400 Bad Request: %v\n", err))
	}
	return answer
}

func (s *Site) page(path, query string) (Answer, error) {
	switch path {
	case "/sleep":
		ms, err := parameter(query, "ms", 100, 10_000)
		if err != nil {
			return Answer{}, err
		}
		time.Sleep(time.Duration(ms) * time.Millisecond)
		return Text(200, fmt.Sprintf("slept %d ms\n", ms)), nil
	case "/tenth":
		ms, err := parameter(query, "ms", 2000, 10_000)
		if err != nil {
			return Answer{}, err
		}
		// One atomic addition: no two requests get the same number, and no lock is held.
		number := s.tenth.Add(1)
		if number%10 != 0 {
			return Text(200, fmt.Sprintf("request %d did not wait\n", number)), nil
		}
		time.Sleep(time.Duration(ms) * time.Millisecond)
		return Text(200, fmt.Sprintf("request %d waited %d ms\n", number, ms)), nil
	case "/file":
		return s.file(), nil
	case "/work":
		rounds, err := parameter(query, "n", 100, 100_000)
		if err != nil {
			return Answer{}, err
		}
		return Answer{200, "application/json", compute(rounds)}, nil
	default:
		return Answer{200, html, s.index}, nil
	}
}

// file reads the file anew. The kernel's read of a file blocks, so here the goroutine holds its thread; the runtime
// notices, and lets another thread run the goroutines that can.
func (s *Site) file() Answer {
	body, err := os.ReadFile(s.hello)
	switch {
	case err == nil:
		return Answer{200, html, body}
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return Text(503, "503 Service Unavailable: every file that this server may open is open. "+
			"Try again in a few seconds.\n")
	default:
		return Refusal(500)
	}
}

// ANCHOR_END: answer

type address struct {
	Street string `json:"street"`
	City   string `json:"city"`
}

// compute makes a string and the JSON of a small struct, so many times, and returns the last JSON.
// Nothing in it waits; the runtime takes the processor away from it after ten milliseconds.
func compute(rounds int) []byte {
	last := []byte("{}")
	for round := range rounds {
		last, _ = json.Marshal(address{"10 Downing Street", fmt.Sprintf("Value: %d", round)})
	}
	return last
}

// parameter is the value of name in the query, or usual where the query does not name it.
func parameter(query, name string, usual, most int) (int, error) {
	for _, pair := range strings.Split(query, "&") {
		value, found := strings.CutPrefix(pair, name+"=")
		if !found {
			continue
		}
		// Digits alone: Atoi would take a sign as well.
		number, err := strconv.Atoi(value)
		if err != nil || strings.ContainsAny(value, "+-") || number > most {
			return 0, fmt.Errorf("%s must be a whole number from 0 to %d", name, most)
		}
		return number, nil
	}
	return usual, nil
}
