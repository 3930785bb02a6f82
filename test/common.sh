# SPDX-License-Identifier: GPL-2.0-only
#
# What examples/run and test/run share; they source this file.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Enough to build and run the module. Package ns3 is there for two helper programs that the CMake
# files of libns3-dev insist on finding, libjs-chart.js for the charts of --report, and ccache so that
# the first build fills it: installed later, it would make CMake compile everything again.
build_packages=(cmake ninja-build g++ libns3-dev ns3 libboost-dev nlohmann-json3-dev
    libcadical-dev libprotobuf-dev protobuf-compiler libjs-chart.js ccache)

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "${0##"$repo"/}: $*"
    exit 1
}

is_installed() {
    [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

# install_packages PACKAGE...: install those that are missing, never remove any.
install_packages() {
    local package missing=() as_root=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian system: I take it that these are installed: $*"
        return
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "as root, first: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    # Without a question, and without the lists of a machine that never updated.
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
    quietly "${as_root[@]}" update || fail "apt-get update failed"
    quietly "${as_root[@]}" install -y --no-remove --no-install-recommends "${missing[@]}" ||
        fail "could not install ${missing[*]}"
}

# quietly COMMAND...: its output is shown if it fails, and only then.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    ((status == 0)) || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# configure FOLDER OPTION...: prepare .build/FOLDER. The name starts with a dot
# because an ns-3 tree that holds this repository searches all folders for a
# CMake cache of its own, and would take ours; it skips hidden folders.
configure() {
    local folder=$repo/.build/$1
    shift
    # A build folder that moved with the repository names places that are gone.
    if [[ -f $folder/CMakeCache.txt ]] &&
        ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$repo" "$folder/CMakeCache.txt"; then
        say "Removing $folder, which was configured for another place"
        rm -rf "$folder"
    fi
    quietly cmake -S "$repo" -B "$folder" -G Ninja "$@"
}

# watch_progress LOG DOING: write a command's output into a log, and say how far it is whenever that
# has not been said for a while. Ninja begins its lines with [DONE/ALL], ctest with DONE/ALL.
watch_progress() {
    local log=$1 doing=$2 line start=$SECONDS last=$SECONDS left done all
    : >"$log"
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        [[ $line =~ ^[[:space:]]*\[?([0-9]+)/([0-9]+)[]\ ] ]] || continue
        done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        ((SECONDS - last >= ${PROGRESS_SECONDS:-10} && done > 0)) || continue
        last=$SECONDS
        left=$(((SECONDS - start) * (all - done) / done))
        say "    $doing: $done of $all, about $left s left"
    done
    [[ -z $line ]] || printf '%s' "$line" >>"$log"
}

# log_to NAME COMMAND...: write what a build prints to .build/logs/NAME.log, say how far it is, and show
# the end of the log if it fails.
log_to() {
    local log=$repo/.build/logs/$1.log
    shift
    mkdir -p "${log%/*}"
    "$@" 2>&1 </dev/null | watch_progress "$log" compiled || {
        tail -n 100 "$log" >&2
        return 1
    }
}

# build FOLDER TARGET...: build in .build/FOLDER what is out of date.
build() {
    local folder=$1
    shift
    log_to "$folder-build" cmake --build "$repo/.build/$folder" --parallel "$(nproc)" --target "$@"
}
