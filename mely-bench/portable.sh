#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes an archive that runs the benchmarks on a Linux machine without Java: the executable jar, a
# Java runtime linked for it, and a script that starts both.
#
#   mely-bench/portable.sh [JDK]
#
# JDK: the directory of a JDK that can link, by default $JAVA_HOME. One of version 25 is best: it
# links without further files, and has virtual threads. The archive is for this machine's
# architecture.

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
jdk=${1:-${JAVA_HOME:-}}
jar=$root/mely-bench/target/benchmarks.jar
name=mely-bench-$(uname -m)
work=$root/mely-bench/target/portable

fail() {
  echo "portable.sh: $1" >&2
  exit 1
}

[ -n "$jdk" ] || fail "name a JDK: as the argument, or in JAVA_HOME"
[ -x "$jdk/bin/jlink" ] || fail "no jlink in '$jdk/bin'"
[ -f "$jar" ] || fail "no '$jar': run 'mvn -DskipTests package' first"

rm -rf "$work"
mkdir -p "$work/$name"

# What the jar uses, and what is looked up by name only: GC and JMX figures, zip and locale data are
# not needed, the compiler's attach interface is (JMH asks for the JVM's version through it).
modules=java.base,java.compiler,java.desktop,java.instrument,java.logging,java.management,java.naming
modules=$modules,java.net.http,java.security.jgss,java.sql,java.xml,jdk.attach,jdk.jfr,jdk.management
modules=$modules,jdk.net,jdk.unsupported,jdk.zipfs

"$jdk/bin/jlink" --add-modules "$modules" --output "$work/$name/java" \
  --strip-debug --no-header-files --no-man-pages --compress zip-6 2>"$work/jlink.log" ||
  "$jdk/bin/jlink" --add-modules "$modules" --output "$work/$name/java" \
    --strip-debug --no-header-files --no-man-pages --compress 2 ||
  fail "jlink: $(cat "$work/jlink.log")"

cp "$jar" "$root/LICENSE" "$work/$name/"
cp "$root/docs/benchmarks.md" "$work/$name/README.md"

# Fonts for the pictures: a bare machine has neither any nor the library that finds them. This
# machine's sans-serif font goes along, and a table that names it in place of all others.
if command -v fc-match >/dev/null; then
  plain=$(fc-match -f '%{file}' 'sans:scalable=true')
  bold=$(fc-match -f '%{file}' 'sans:bold:scalable=true')
  mkdir -p "$work/$name/java/lib/fonts"
  cp "$plain" "$work/$name/java/lib/fonts/plain.ttf"
  cp "$bold" "$work/$name/java/lib/fonts/bold.ttf"
  {
    echo version=1
    for family in serif sansserif monospaced dialog dialoginput; do
      for style in plain italic; do
        echo "$family.$style.latin-1=$(fc-match -f '%{fullname[0]}' 'sans:scalable=true')"
      done
      for style in bold bolditalic; do
        echo "$family.$style.latin-1=$(fc-match -f '%{fullname[0]}' 'sans:bold:scalable=true')"
      done
    done
    echo sequence.allfonts=latin-1
    echo "filename.$(fc-match -f '%{fullname[0]}' 'sans:scalable=true' | tr ' ' _)=\$JRE_LIB_FONTS/plain.ttf"
    echo "filename.$(fc-match -f '%{fullname[0]}' 'sans:bold:scalable=true' | tr ' ' _)=\$JRE_LIB_FONTS/bold.ttf"
  } >"$work/$name/java/lib/fontconfig.properties"
else
  echo "portable.sh: no fc-match, so no fonts: pictures need those of the other machine" >&2
fi

# The commit, which cannot be found out on the other machine.
git -C "$root" rev-parse --short=10 HEAD >"$work/$name/commit" 2>/dev/null || rm -f "$work/$name/commit"

cat >"$work/$name/benchmarks" <<'START'
#!/bin/sh
# Starts the benchmarks: "./benchmarks compare", or "./benchmarks --help".
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/commit" ] && commit=-Dmely.bench.commit=$(cat "$here/commit") || commit=
exec "$here/java/bin/java" --enable-native-access=ALL-UNNAMED $commit -jar "$here/benchmarks.jar" "$@"
START
chmod +x "$work/$name/benchmarks"

tar -C "$work" -czf "$root/mely-bench/target/$name.tar.gz" "$name"
echo "$root/mely-bench/target/$name.tar.gz"
