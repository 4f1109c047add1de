package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ladder/site"
)

// What parse makes of the bytes so far, where it is no status with which to refuse them.
const (
	unfinished = 0
	whole      = 200
	// The client has left, or never said a word.
	gone = -1
)

// request is the head of a request, without anything that the site does not use.
type request struct {
	method, path, query string
	http10              bool
	keepAlive           bool
	hasBody             bool
	// The bytes begin as a HEAD request does: its answer has no body, whatever else is wrong with it.
	isHead bool
}

// parse looks for a request head at the start of the bytes: the request, the length of its head, and what it is.
// The rules are those of RFC 9112, as examples/site/src/request.rs has them, with the sections.
func parse(received []byte) (request, int, int) {
	head := received[:min(len(received), site.HeadLimit)]
	start := 0
	// Empty lines before a request are skipped (section 2.2).
	for bytes.HasPrefix(head[start:], []byte("\r\n")) {
		start += 2
	}
	r := request{isHead: bytes.HasPrefix(head[start:], []byte("HEAD "))}

	// A line ends with CR and LF. Nothing behind a bare LF is looked at.
	clean := head
	for at, letter := range head {
		if letter == '\n' && (at == 0 || head[at-1] != '\r') {
			clean = head[:at]
			break
		}
	}
	clean = clean[min(start, len(clean)):]
	lines, complete := cutLines(clean)
	if len(lines) > 0 {
		if status := r.readRequestLine(lines[0]); status != whole {
			return r, 0, status
		}
	} else if status := judgeStart(clean); status != unfinished {
		return r, 0, status
	}
	switch {
	case complete && len(lines) > site.MaxHeaders+1:
		return r, 0, 431
	case complete:
		length := start + 2
		for _, line := range lines {
			length += len(line) + 2
		}
		return r, length, r.readHeaders(lines[1:])
	case len(clean)+start < len(head):
		return r, 0, 400
	case len(head) < site.HeadLimit:
		return r, 0, unfinished
	case len(lines) == 0 && bytes.Count(clean, []byte(" ")) == 1:
		// The method has ended, the target has not.
		return r, 0, 414
	default:
		return r, 0, 431
	}
}

// cutLines gives the lines that have ended, up to the empty one, and whether that has come.
func cutLines(head []byte) ([]string, bool) {
	var lines []string
	for {
		line, rest, found := bytes.Cut(head, []byte("\r\n"))
		if !found {
			return lines, false
		}
		if len(line) == 0 {
			return lines, true
		}
		lines = append(lines, string(line))
		head = rest
	}
}

// judgeStart refuses what can't become a request line: a method is a word of certain letters.
func judgeStart(start []byte) int {
	method, _, ended := bytes.Cut(start, []byte(" "))
	method = bytes.TrimSuffix(method, []byte("\r"))
	if (ended && len(method) == 0) || (len(method) > 0 && !isToken(string(method))) {
		return 400
	}
	return unfinished
}

func (r *request) readRequestLine(line string) int {
	words := strings.SplitN(line, " ", 3)
	if len(words) < 3 || !isToken(words[0]) || words[1] == "" {
		return 400
	}
	for _, letter := range []byte(words[1]) {
		if letter <= ' ' || letter == 127 {
			return 400
		}
	}
	switch version := words[2]; {
	case version == "HTTP/1.0":
		r.http10 = true
	case version == "HTTP/1.1":
	case len(version) == 8 && version[:5] == "HTTP/" && isDigit(version[5]) && version[6] == '.' && isDigit(version[7]):
		return 505
	default:
		return 400
	}
	r.method = words[0]
	return r.readTarget(words[1])
}

// readTarget takes a path, an absolute URL, or `*` (section 3.2).
func (r *request) readTarget(target string) int {
	for _, letter := range []byte(target) {
		if letter == '#' || letter > 127 {
			return 400
		}
	}
	if target == "*" && r.method != "GET" && r.method != "HEAD" {
		r.path = target
		return whole
	}
	if !strings.HasPrefix(target, "/") {
		const scheme = "http://"
		if len(target) < len(scheme) || !strings.EqualFold(target[:len(scheme)], scheme) {
			return 400
		}
		target = target[len(scheme):]
		end := strings.IndexAny(target, "/?")
		if end < 0 {
			end = len(target)
		}
		if !site.IsAuthority(target[:end]) {
			return 400
		}
		target = target[end:]
	}
	r.path, r.query, _ = strings.Cut(target, "?")
	if r.path == "" {
		r.path = "/"
	}
	return whole
}

func (r *request) readHeaders(lines []string) int {
	hosts, length, coding := 0, "", ""
	hasCoding, closes, keep := false, false, false
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		if !found || !isToken(name) {
			return 400
		}
		for _, letter := range []byte(value) {
			if (letter < ' ' && letter != '\t') || letter == 127 {
				return 400
			}
		}
		value = strings.Trim(value, " \t")
		switch strings.ToLower(name) {
		case "host":
			hosts++
			if !site.IsAuthority(value) {
				return 400
			}
		case "content-length":
			// Two equal lengths say the same thing twice.
			number, err := strconv.ParseUint(value, 10, 64)
			canonical := strconv.FormatUint(number, 10)
			if err != nil || (length != "" && length != canonical) {
				return 400
			}
			length = canonical
		case "transfer-encoding":
			codings := strings.Split(value, ",")
			coding, hasCoding = strings.Trim(codings[len(codings)-1], " \t"), true
		case "connection":
			for _, option := range strings.Split(value, ",") {
				option = strings.Trim(option, " \t")
				closes = closes || strings.EqualFold(option, "close")
				keep = keep || strings.EqualFold(option, "keep-alive")
			}
		}
	}
	if hosts > 1 || (hosts == 0 && !r.http10) {
		return 400
	}
	// Only `chunked` says where a body ends, so it has to come last (section 6.3).
	if hasCoding && (!strings.EqualFold(coding, "chunked") || length != "" || r.http10) {
		return 400
	}
	r.hasBody = hasCoding || (length != "" && length != "0")
	r.keepAlive = !closes && (keep || !r.http10)
	return whole
}

func isDigit(letter byte) bool { return '0' <= letter && letter <= '9' }

// isToken reports whether this is a word as RFC 9110, section 5.6.2 has it.
func isToken(text string) bool {
	return text != "" && strings.Trim(text, site.Letters+"!#$%&'*+-.^_`|~") == ""
}

// encode makes the bytes of a response (RFC 9112, section 2.1).
func encode(answer site.Answer, r request, keep bool) []byte {
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n",
		answer.Status, site.Reason(answer.Status), time.Now().UTC().Format(http.TimeFormat),
		answer.ContentType, len(answer.Body))
	if answer.Status == 405 {
		head += "Allow: GET, HEAD\r\n"
	}
	// A 1.1 client takes an open connection for granted; a 1.0 client waits for these words.
	if !keep {
		head += "Connection: close\r\n"
	} else if r.http10 {
		head += "Connection: keep-alive\r\n"
	}
	head += "\r\n"
	if r.isHead {
		return []byte(head)
	}
	return append([]byte(head), answer.Body...)
}
