#!/usr/bin/env bash
# What is handed out: the archive for a room without a network, the PDF, and the EPUB.
#
#     tools/release.sh [FOLDER] [archive] [pdf] [epub]
#
# Without a folder they go to target/hand-out; without one of the three words, all are made. The archive needs git and tar, the PDF
# Chromium (CHROMIUM is its path, if it is no usual one), and the EPUB pandoc too.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=from-one-thread-to-tokio

fail() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

# An archive holds what git tracks in this folder.
check_archive() {
    local inside
    [ ! -e START-HERE.txt ] || fail "this folder is an unpacked archive: pack it as it is, without its target/"
    command -v tar >/dev/null || fail "the archive needs tar"
    inside=$(git rev-parse --show-prefix 2>&1) || fail "the archive is made in a git clone, of what git tracks there: $inside"
    [ -z "$inside" ] || fail "the archive is made in a git clone, and this folder only lies in one ($inside)"
    git rev-parse --quiet --verify HEAD >/dev/null || fail "the archive is made of a commit, and there is none yet"
}

check_pdf() {
    local known
    browser=${CHROMIUM:-}
    for known in chromium chromium-browser google-chrome google-chrome-stable; do
        browser=${browser:-$(command -v "$known" || true)}
    done
    command -v "${browser:-chromium}" >/dev/null || fail "the PDF and the EPUB need Chromium, see cargo xtask doctor"
}

check_epub() {
    check_pdf
    command -v pandoc >/dev/null || fail "the EPUB needs pandoc, see cargo xtask doctor"
}

out=target/hand-out
case ${1:-archive} in
    archive | pdf | epub) ;;
    /*) out=$1 && shift ;;
    *) out=$here/$1 && shift ;;
esac
wanted=${*:-archive pdf epub}
# Before the work, which takes minutes.
for one in $wanted; do
    case $one in
        archive | pdf | epub) "check_$one" ;;
        *) fail "there is no $one to make: tools/release.sh [FOLDER] [archive] [pdf] [epub]" ;;
    esac
done
mkdir -p "$out" target
out=$(cd "$out" && pwd)
# Not in /tmp: a Chromium that is a snap has one of its own.
work=$(mktemp -d "$PWD/target/hand-out-XXXXXX")
trap 'rm -rf "$work"' EXIT

# Sources, packages and book in one folder. What git tracks, as it is now: a learner's own work stays at home.
archive() {
    local folder=$work/$name tree
    tree=$(git stash create)
    git archive --prefix="$name/" "${tree:-HEAD}" | tar -x -C "$work"
    cp -r "$work/book" "$folder/the-book"
    cargo vendor --locked --quiet --versioned-dirs "$folder/vendor" >/dev/null
    # Cargo compares each file of a package with its checksum. A class that puts the folder into its own git repository keeps
    # all of them as they are: no line ends are changed, and nothing is left out, whatever the class ignores.
    echo '* -text -ident -filter' >"$folder/vendor/.gitattributes"
    local all='# All that was handed out belongs to the repository, whatever is ignored elsewhere (*.orig, build/, vendor/).'
    printf '%s\n' "$all" '!*' | cat - "$folder/.gitignore" >"$work/ignored"
    mv "$work/ignored" "$folder/.gitignore"
    cat >>"$folder/.cargo/config.toml" <<'CONFIG'

# Every package is in the folder `vendor`, so no network is needed.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"

[net]
offline = true
CONFIG
    cat >"$folder/START-HERE.txt" <<'START'
From One Thread to Tokio: the book, its programs, and all that they need.
No network is needed. Rust 1.88 or newer is, and a linker: book/reading.md says under "Rust and a linker" what
to do if cargo says "linker `cc` not found". Rust itself without a network: the standalone installers of
https://forge.rust-lang.org/infra/other-installation-methods.html

Read the book      open the-book/index.html in a browser; teaching from a page works from there too.
                   Only "You are the scheduler" has to be served: cargo xtask serve
For a lesson       cargo xtask prepare half-day (90-minutes, two-days): compiles what it needs, and its last line says
                   whether this machine is ready
This machine       cargo xtask doctor
Run a server       cargo run --example ch01_single_threaded
Do the exercises   cargo xtask learn
Run the tests      cargo test
Take a file back   in the folder above: tar -xzmf from-one-thread-to-tokio.tar.gz \
                       from-one-thread-to-tokio/examples/ch01/ch01_single_threaded/main.rs
A project to try   cargo new examples/live/NAME (cargo add finds the packages of the book in vendor/)

A class may keep this folder in a git repository of its own: a clone of that builds without a network as well.
The first build takes some minutes, as it compiles everything that is in vendor/.
README.md says more.
START
    tar -czf "$work/$name.tar.gz" -C "$work" "$name"
}

# Opens a copy of the page of all pages, with $1 in its head, and does with it what the other words say.
browse() {
    local head="<script src=\"paper.js\"></script>$1" options=()
    shift
    cp tools/paper.js tools/pictures.js "$work/book"
    # The only page that it opens is ours, and for root the sandbox does not start.
    [ "$(id -u)" -ne 0 ] || options+=(--no-sandbox)
    awk -v head="$head" '{ sub("</head>", head "</head>"); print }' "$work/book/print.html" >"$work/book/open.html"
    "$browser" --headless --disable-gpu --no-first-run "${options[@]}" --user-data-dir="$work/profile" \
        --virtual-time-budget=120000 "$@" "file://$work/book/open.html" 2>"$work/said" || made_nothing
}

# A browser that can't read or write a folder may say so and end well, so what it made is looked at.
made_nothing() {
    local needs="It has to read and write $PWD/target, and a snap sees only folders below your home"
    tail -n 5 "$work/said" >&2
    fail "$browser made nothing of the book; its last words stand above. $needs; CHROMIUM names another one"
}

pdf() {
    browse "<style>@page { size: A4; margin: 12mm 15mm; }</style>" --no-pdf-header-footer --print-to-pdf="$work/$name.pdf"
    grep -aqs "From One Thread" "$work/$name.pdf" || made_nothing
}

# The browser makes pictures of what scripts and style sheets have drawn.
epub() {
    browse '<script src="pictures.js"></script>' --dump-dom >"$work/flat.html"
    grep -q "<h1" "$work/flat.html" || made_nothing
    pandoc --from=html --to=epub3 --toc --toc-depth=2 --metadata=lang:en --metadata=title:"From One Thread to Tokio" \
        --resource-path="$work/book" --output="$work/$name.epub" "$work/flat.html"
}

cargo xtask build --out "$work/book"
for one in $wanted; do
    "$one"
    file=$name.${one/archive/tar.gz}
    # Whole or absent.
    mv "$work/$file" "$out/$file"
    echo "$out/$file"
done
