#!/usr/bin/env bash
# What is handed out: the archive for a room without a network, the PDF, and the EPUB.
#
#     tools/release.sh [FOLDER] [archive] [pdf] [epub]
#
# Without a folder they go to target/hand-out; without one of the three words, all are made. The archive needs git and tar, the PDF
# Chromium (CHROMIUM is its path, if it is no usual one), and the EPUB pandoc too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=from-one-thread-to-tokio
out=${1:-target/hand-out}
shift || true
wanted=${*:-archive pdf epub}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sources, packages and book in one folder. What git tracks, as it is now: a learner's own work stays at home.
archive() {
    local folder=$work/$name tree
    tree=$(git stash create)
    git archive --prefix="$name/" "${tree:-HEAD}" | tar -x -C "$work"
    cp -r "$work/book" "$folder/the-book"
    # A book that is built from the archive says the same days.
    git log --format=%x00%cd --date='format:%-d %B %Y' --name-only -- book >"$folder/book/page-days.txt"
    cargo vendor --locked --quiet --versioned-dirs "$folder/vendor" >/dev/null
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
No network is needed. Rust 1.88 or newer is, and a linker: README.md says under "What you need" what
to do if cargo says "linker `cc` not found". Rust itself without a network: the standalone installers of
https://forge.rust-lang.org/infra/other-installation-methods.html

Read the book      open the-book/index.html in a browser; teaching from a page works from there too.
                   Only the scheduler lab has to be served: cargo xtask serve
This machine       cargo xtask doctor
Run a server       cargo run --example ch01_single_threaded
Do the exercises   cargo xtask learn
Run the tests      cargo test
Take a file back   in the folder above: tar -xzmf from-one-thread-to-tokio.tar.gz \
                       from-one-thread-to-tokio/examples/ch01/ch01_single_threaded/main.rs
A project to try   cargo new examples/live/NAME (cargo add finds the packages of the book in vendor/)

The first build takes some minutes, as it compiles everything that is in vendor/.
README.md says more.
START
    tar -czf "$work/$name.tar.gz" -C "$work" "$name"
}

# Opens a copy of the page of all pages, with $1 in its head, and does with it what the other words say. Left to itself the page
# opens the dialog for printing, and a browser without a window then drops what it was told to print.
browse() {
    local head="<script>window.print = () => {};</script>$1" browser=${CHROMIUM:-} known options=()
    shift
    for known in chromium chromium-browser google-chrome google-chrome-stable; do
        browser=${browser:-$(command -v "$known" || true)}
    done
    # The only page that it opens is ours, and for root the sandbox does not start.
    [ "$(id -u)" -ne 0 ] || options+=(--no-sandbox)
    awk -v head="$head" '{ sub("</head>", head "</head>"); print }' "$work/book/print.html" >"$work/book/open.html"
    "${browser:?no Chromium, see cargo xtask doctor}" --headless --disable-gpu --no-first-run "${options[@]}" \
        --user-data-dir="$work/profile" --virtual-time-budget=120000 "$@" "file://$work/book/open.html" 2>"$work/said"
}

pdf() {
    browse "<style>@page { size: A4; margin: 12mm 15mm; }</style>" --no-pdf-header-footer --print-to-pdf="$work/$name.pdf"
}

# The browser makes pictures of what scripts and style sheets have drawn.
epub() {
    cp tools/pictures.js "$work/book/pictures.js"
    browse '<script src="pictures.js"></script>' --dump-dom >"$work/flat.html"
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
