package site

import "strings"

// Letters are the letters and digits of ASCII, which every word of HTTP may have.
const Letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// IsAuthority reports whether this is a host with or without a port (RFC 9110, section 7.2).
func IsAuthority(text string) bool {
	host, port, hasPort := strings.Cut(text, ":")
	names := Letters + "-._~%!$&'()*+;="
	if rest, found := strings.CutPrefix(text, "["); found {
		address, behind, closed := strings.Cut(rest, "]")
		// An address in brackets may hold colons.
		if host = address; !closed || (behind != "" && behind[0] != ':') {
			return false
		}
		hasPort, port, names = behind != "", strings.TrimPrefix(behind, ":"), names+":"
	}
	isPort := !hasPort || strings.Trim(port, "0123456789") == ""
	return host != "" && strings.Trim(host, names) == "" && isPort
}
