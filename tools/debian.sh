# SPDX-License-Identifier: Apache-2.0
# Gets Debian packages without root, and without the machine's own package configuration. Source it after common.sh.
# shellcheck shell=bash

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_obstacle: prints what this machine lacks for fetching Debian packages, or nothing.
debian_obstacle() {
  local command
  for command in apt-get apt-cache dpkg dpkg-deb; do
    command -v "$command" >/dev/null || { echo "$command is missing"; return; }
  done
  [[ -r $debian_keyring ]] || echo "$debian_keyring is missing (package debian-archive-keyring)"
}

# debian_mirror: prints the mirror this machine's packages come from, or nothing. Before package lists have been
# fetched, it is the mirror they would be fetched from.
debian_mirror() {
  {
    apt-get indextargets --format '$(ORIGIN) $(SUITE) $(SITE)' 'Identifier: Packages' || true
    apt-get update --print-uris | sed -nE "s|^'(.*)/dists/([^/]*)/InRelease'.*|- \2 \1|p" || true
  } 2>/dev/null | awk '($1 == "Debian" || $NF ~ /\/debian\/?$/) && !/security/ && !found++ { print $NF }'
}

# debian_world FOLDER ARCHITECTURES MIRROR SUITE...: makes a separate package configuration in FOLDER, in which nothing
# is installed. From now on apt's programs use it. ARCHITECTURES are separated by blanks; the first is the default. The
# security archive must lie beside MIRROR.
debian_world() {
  local folder=$1 architectures=$2 mirror=$3 suite
  shift 3
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,etc/none,etc/preferences.d}
  : >"$folder/state/status"
  for suite; do
    if [[ $suite == *-security ]]; then
      echo "deb [signed-by=$debian_keyring] ${mirror%/debian*}/debian-security $suite main"
    else
      echo "deb [signed-by=$debian_keyring] $mirror $suite main"
    fi
  done >"$folder/etc/sources.list"
  cat >"$folder/etc/apt.conf" <<END
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::Cache "$folder/cache";
Dir::Etc "$folder/etc";
Dir::Etc::parts "$folder/etc/none";
Dir::Etc::sourceparts "$folder/etc/none";
Dir::Etc::sourcelist "$folder/etc/sources.list";
Dir::Log "$folder";
APT::Architecture "${architectures%% *}";
APT::Architectures { "${architectures// /\"; \"}"; };
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::CNF::DefaultEnabled "false";
END
  export APT_CONFIG=$folder/etc/apt.conf
}

# linux_point VERSION: the Linux version of a package version: 7.3.4 for 7.3.4-1~bpo13+1.
linux_point() {
  local point=${1#*:}
  point=${point%%-*}
  echo "${point%%[~+]*}"
}

# unpack_linux_source ARCHIVE TREE PART...: unpacks files and folders of a linux-source package. Missing ones are
# skipped.
unpack_linux_source() {
  local archive=$1 tree=$2 part patterns=()
  shift 2
  for part; do patterns+=("linux-source-*/$part"); done
  mkdir -p "$tree"
  # A fresh system has no xz. Apt's helper unpacks files.
  mkdir "$tree.packed"
  dpkg-deb --fsys-tarfile "$archive" |
    tar -xf - -C "$tree.packed" --strip-components=3 --wildcards './usr/src/linux-source-*.tar.*' || true
  # A pattern that matches nothing is no error.
  /usr/lib/apt/apt-helper cat-file "$tree.packed"/linux-source-* |
    tar -xf - -C "$tree" --strip-components=1 --wildcards --no-wildcards-match-slash "${patterns[@]}" || true
  rm -rf "$tree.packed"
}
