#!/bin/sh
# Installs the Debian packages that the demo and the checks need and that are missing; silent when there are none.
# tests/deps.sh          what `make demo` and `make check` need
# tests/deps.sh long     what `make check-long` needs besides
# DEPS=skip leaves the system alone.
set -u
[ "${DEPS:-}" = skip ] && exit 0

missing=
need() {                # need PACKAGE COMMAND...: the command succeeds where the package, or its like, is there
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
tool() { command -v "$1"; }
compiles() { echo "#include <$1>" | cc -E -; }
newlib() { test -e "$(arm-none-eabi-gcc -print-file-name=libc.a)"; }

need gcc tool gcc
need libc6-dev compiles stdio.h
need g++ tool g++
need clang tool clang
need make tool make
need flex tool flex
need bison tool bison
need nanopb tool nanopb_generator.py
need protobuf-compiler tool protoc
need libnanopb-dev compiles pb_decode.h
need pkg-config tool pkg-config
need check pkg-config --exists check
need libxml2-dev pkg-config --exists libxml-2.0
need libxml2-utils tool xmllint
need libmd-dev compiles sha2.h
need cmake tool cmake
need gcc-arm-none-eabi tool arm-none-eabi-gcc
need libnewlib-arm-none-eabi newlib
need qemu-system-arm tool qemu-system-arm
[ "${1:-}" = long ] && need valgrind tool valgrind
[ -z "$missing" ] && exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
    echo "Missing, by their Debian names:$missing"
    echo "This is no Debian: install what corresponds to them; DEPS=skip makes do with what is there."
    exit 1
fi >&2
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo "
else
    echo "Some packages are missing. Run this as root, then call make again (DEPS=skip makes do without):"
    echo "    $install"
    exit 1
fi >&2

echo "Installing the missing packages:"
echo "    $as_root$install"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
apt() { ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1; }
apt update
if ! apt install -y --no-install-recommends $missing; then
    tail -n 20 "$log" >&2
    echo "The installation failed. DEPS=skip makes do with what is there." >&2
    exit 1
fi
echo "Installed."
