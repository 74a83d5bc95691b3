#!/bin/sh
# Installs overspill for Linux on x86-64 or arm64. It needs neither root nor a compiler.
#
#     sh install.sh overspill-VERSION-x86_64-linux.tar.gz     from an archive, with SHA256SUMS beside it
#     sh install.sh https://HOST/PATH/vVERSION                from an address that has both files
#
#     --prefix DIR       install below DIR (default: ~/.local)
#     --version VERSION  the version to install from an address (default: the version in SHA256SUMS)
#     --uninstall        remove the files that this script installed below DIR
#     --help             print this text
set -eu

fail() {
  echo "error: $1" >&2
  [ $# -lt 2 ] || echo "hint: $2" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
# Prints the text above. If the script comes through a pipe, it cannot read the text from a file.
usage() {
  [ -f "$0" ] && sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0" && return
  echo "sh install.sh ARCHIVE|ADDRESS [--prefix DIR] [--version VERSION] | --uninstall [--prefix DIR]"
}

prefix='' version='' source='' uninstall=''
# An empty value comes from an unset variable: sh install.sh ARCHIVE --prefix "$DIR"
set_prefix() {
  [ -n "$1" ] || fail "the prefix is empty" "name a directory: --prefix DIR"
  prefix=$1
}
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --version)
      [ $# -gt 1 ] || fail "$1 needs a value" "sh install.sh --help"
      if [ "$1" = --prefix ]; then set_prefix "$2"; else version=$2; fi
      shift
      ;;
    --prefix=*) set_prefix "${1#*=}" ;;
    --version=*) version=${1#*=} ;;
    --uninstall) uninstall=yes ;;
    -h | --help) usage && exit ;;
    -*) fail "invalid option $1" "sh install.sh --help" ;;
    *)
      [ -z "$source" ] || fail "more than one archive or address: $source, $1"
      source=$1
      ;;
  esac
  shift
done
if [ -z "$prefix" ]; then
  [ -n "${HOME-}" ] || fail "HOME is not set" "name a directory: --prefix DIR"
  prefix=$HOME/.local
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
# A slash at the end would hide that PATH already has this directory.
while [ "${prefix%/}" != "$prefix" ]; do prefix=${prefix%/}; done
# The list of files and directories that this script made, so that --uninstall removes nothing else.
list=$prefix/share/overspill/installed-files

remove_listed() {
  while IFS= read -r name; do
    case $name in
      ./) ;;
      /* | *..*) fail "$list names $name, which is not below $prefix" "remove the files of overspill by hand" ;;
      */) ;;
      # This script makes no links: another installer put the link there.
      *) [ -L "$prefix/$name" ] || rm -f "$prefix/$name" ;;
    esac
  done <"$1"
  # The list has outer directories first. Remove inner directories first, and only empty ones.
  sed -n 's|/$||p' "$1" | sort -r | while IFS= read -r name; do rmdir "$prefix/$name" 2>/dev/null || true; done
  if grep -qx './' "$1"; then rmdir "$prefix" 2>/dev/null || true; fi
}

if [ "$uninstall" ]; then
  [ -z "$source" ] || fail "--uninstall takes no archive: $source"
  [ -f "$list" ] || fail "$list: no such file, so this script has installed nothing below $prefix" "name the directory: --prefix DIR"
  case $(cat "$prefix/share/overspill/installed-by" 2>/dev/null) in
    '' | 'archive '*) ;;
    *) fail "another installer replaced the files below $prefix" "remove overspill with that tool, for example: pip uninstall overspill" ;;
  esac
  # Without the program, every command of an agent that `overspill init` set up would fail.
  program=$(readlink -f "$prefix/bin/overspill") || program=''
  for link in "${XDG_CONFIG_HOME:-${HOME-}/.config}"/overspill/bin/*; do
    if [ -n "$program" ] && [ "$(readlink -f "$link")" = "$program" ]; then
      fail "your agents still use $prefix/bin/overspill" "first run: overspill uninstall --all"
    fi
  done
  copy=$(mktemp)
  cp "$list" "$copy"
  remove_listed "$copy"
  rm -f "$copy"
  echo "removed overspill from $prefix"
  echo "Saved outputs and settings stay: ~/.local/state/overspill and ~/.config/overspill."
  exit
fi

[ -n "$source" ] || fail "the archive or the address is missing" "sh install.sh ARCHIVE, or sh install.sh https://HOST/PATH"
case $(uname -s)-$(uname -m) in
  Linux-x86_64 | Linux-amd64) machine=x86_64 ;;
  Linux-aarch64 | Linux-arm64) machine=aarch64 ;;
  *) fail "overspill has no archive for $(uname -s) on $(uname -m)" "compile it: cargo install overspill-cli" ;;
esac
if has sha256sum; then sum() { sha256sum "$1" | cut -d ' ' -f 1; }; elif has shasum; then
  sum() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else
  fail "neither sha256sum nor shasum is installed; one is needed to check the archive" "install coreutils"
fi

umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fetch() {
  # wget does not know addresses of files, and without curl a directory must work, too.
  case $1 in file:///*) if [ -f "${1#file://}" ]; then cp "${1#file://}" "$2" && return; fi ;; esac
  if has curl; then curl -fsSL --retry 2 -o "$2" "$1"; elif has wget; then wget -q -O "$2" "$1"; else
    fail "neither curl nor wget is installed" "download the archive and SHA256SUMS, then run: sh install.sh ARCHIVE"
  fi || fail "cannot download $1" "check the address and your connection"
}
case $source in
  http://* | https://* | file://*)
    base=${source%/}
    fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
    if [ -n "$version" ]; then name=overspill-$version-$machine-linux.tar.gz; else
      name=$(sed -n "s/^[0-9a-f]* [ *]\(overspill-[0-9][^/ ]*-$machine-linux\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
      case $name in
        '') fail "$base/SHA256SUMS names no archive for Linux on $machine" "compile it: cargo install overspill-cli" ;;
        *' '* | *"
"*) fail "$base/SHA256SUMS names several archives" "choose one: --version VERSION" ;;
      esac
    fi
    archive=$work/$name
    fetch "$base/$name" "$archive"
    ;;
  *)
    archive=$source name=${source##*/}
    [ -f "$archive" ] || fail "$archive: no such file" "name the archive overspill-VERSION-$machine-linux.tar.gz, or an address that begins with https://"
    case $name in
      *-$machine-linux.tar.gz) ;;
      *) fail "$name is not the archive for this machine" "use overspill-VERSION-$machine-linux.tar.gz" ;;
    esac
    case $archive in */*) sums=${archive%/*}/SHA256SUMS ;; *) sums=SHA256SUMS ;; esac
    [ -f "$sums" ] || fail "$sums: no such file" "download SHA256SUMS, which has the checksum, and put it beside the archive"
    cp "$sums" "$work/SHA256SUMS"
    ;;
esac
wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name {print $1}' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS has no checksum of $name"
[ "$(sum "$archive")" = "$wanted" ] || fail "$name does not have the checksum of SHA256SUMS; nothing was installed" "download the archive again"

mkdir "$work/unpacked"
told=$(tar -xzf "$archive" -C "$work/unpacked" 2>&1) || {
  # A full disk gives a message for each file.
  echo "$told" | head -n 2 >&2
  fail "cannot unpack $name into $work; nothing was installed" "the lines above have the reason; TMPDIR=DIR chooses another temporary directory"
}
top=$work/unpacked/${name%.tar.gz}
# Not -x: it is false if the temporary directory is mounted with `noexec`.
[ -f "$top/bin/overspill" ] || fail "$name has no program bin/overspill"

# The list of the earlier installation. Its program stays until the new program replaces it.
if [ -f "$list" ]; then cp "$list" "$work/before"; else : >"$work/before"; fi
program=$prefix/bin/overspill
# Another installer, for example uv or pip, can use the same directory. It would lose its program.
if { [ -e "$program" ] || [ -L "$program" ]; } && { [ -L "$program" ] || [ ! -f "$program" ] || ! grep -qx bin/overspill "$work/before"; }; then
  fail "$program exists, and this script did not install it" "remove it with the tool that installed it, or choose another directory: --prefix DIR"
fi
: >"$work/list"
if [ ! -d "$prefix" ] || grep -qx './' "$work/before"; then echo ./ >>"$work/list"; fi
# Removes the empty directories that this run made, because --uninstall does not know them yet.
fail_early() {
  remove_listed "$work/list"
  fail "$1" "choose another directory: --prefix DIR"
}
(cd "$top" && find bin share -type d | sort) | while IFS= read -r name; do
  if [ ! -d "$prefix/$name" ]; then
    mkdir -p "$prefix/$name" || fail_early "cannot make $prefix/$name"
  elif ! grep -qxF "$name/" "$work/before"; then
    continue
  fi
  echo "$name/" >>"$work/list"
done
(cd "$top" && find bin share -type f | sort) >"$work/files"
# Write the list before the files, so that --uninstall works after a failed installation.
{ cat "$work/before" "$work/list" "$work/files" && echo "share/overspill/installed-files"; } | sort -u >"$work/both"
cp "$work/both" "$list" || fail_early "cannot write $list"
{ cat "$work/files" && echo "share/overspill/installed-files"; } >>"$work/list"
while IFS= read -r name; do
  # `mv` gives the name to a new file, so that a running program keeps its own file.
  if ! cp "$top/$name" "$prefix/$name.new-$$" || ! mv -f "$prefix/$name.new-$$" "$prefix/$name"; then
    rm -f "$prefix/$name.new-$$"
    fail "cannot write $prefix/$name" "choose another directory: --prefix DIR"
  fi
done <"$work/files"
# Remove files of the earlier version that this version does not have.
grep -vxFf "$work/list" "$work/before" >"$work/stale" || true
remove_listed "$work/stale"
cp "$work/list" "$list"

told=$("$prefix/bin/overspill" --version) || fail "$prefix/bin/overspill does not run" "choose another directory: --prefix DIR"
echo "installed $told into $prefix"
echo "  program      $prefix/bin/overspill"
echo "  manual       $prefix/share/man/man1/overspill.1 (man overspill)"
echo "  completions  bash, zsh and fish, below $prefix/share"
case :${PATH-}: in
  *":$prefix/bin:"*) ;;
  *) echo "Add $prefix/bin to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "Next: overspill init"
echo "To remove it: sh install.sh --uninstall --prefix \"$prefix\""
