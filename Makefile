# SPDX-License-Identifier: Apache-2.0
# Martlet's own commands; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# SwiftPM makes what it can side by side; two of these at once would wait for each other.
.NOTPARALLEL:

export PATH := $(PATH):/opt/swift/usr/bin:/opt/swift/bin
# As it was written, not as make would read it: a file name may hold a dollar sign or a quote.
override MUSIC := $(value MUSIC)
export MUSIC
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2

FLAGS = -j $(JOBS) --explicit-target-dependency-import-check error
RELEASE = $(FLAGS) -c release --static-swift-stdlib

BUILD_PACKAGES = libdbus-1-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libtag1-dev libsqlite3-dev \
	libuchardet-dev libutf8proc-dev libexpat1-dev libxxhash-dev pkg-config g++
RUN_PACKAGES = dbus gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad \
	gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-pulseaudio gstreamer1.0-alsa
TEST_PACKAGES = git gstreamer1.0-tools playerctl pulseaudio pulseaudio-utils ffmpeg flac lame vorbis-tools opus-tools \
	python3 python3-mutagen python3-dbus python3-venv python3-gi desktop-file-utils appstream libxml2-utils shellcheck systemd mandoc \
	zsh fish bluez
# For the targets named after them alone.
DEB_PACKAGES = debhelper dpkg-dev lintian
TEST_DEB_PACKAGES = debootstrap util-linux ffmpeg
# Where login starts programs: the system's folder for a prefix of the system, else below the prefix.
SYSTEM = $(filter /usr /usr/local,$(PREFIX))
AUTOSTART = $(if $(SYSTEM),/etc/xdg/autostart,$(PREFIX)/etc/xdg/autostart)

# What install puts where: source:place, the place below PREFIX unless it is a whole path.
# Of the interfaces only our own: those of MPRIS are other packages' to install.
INTERFACES = $(notdir $(wildcard dbus/org.martlet.*.xml))
FILES = \
	dbus/org.mpris.MediaPlayer2.martlet.service:share/dbus-1/services/org.mpris.MediaPlayer2.martlet.service \
	dbus/org.martlet.Martlet.service:share/dbus-1/services/org.martlet.Martlet.service \
	$(foreach name,$(INTERFACES),dbus/$(name):share/dbus-1/interfaces/$(name)) \
	desktop/martlet.service:lib/systemd/user/martlet.service \
	desktop/autostart/martlet.desktop:$(AUTOSTART)/martlet.desktop \
	desktop/martlet.desktop:share/applications/martlet.desktop \
	desktop/org.martlet.Martlet.metainfo.xml:share/metainfo/org.martlet.Martlet.metainfo.xml \
	desktop/icons/martlet.svg:share/icons/hicolor/scalable/apps/martlet.svg \
	desktop/icons/martlet-symbolic.svg:share/icons/hicolor/symbolic/apps/martlet-symbolic.svg \
	desktop/martletd.1:share/man/man1/martletd.1 \
	desktop/martlet.1:share/man/man1/martlet.1 \
	desktop/completions/martlet.bash:share/bash-completion/completions/martlet \
	desktop/completions/martlet.zsh:share/zsh/site-functions/_martlet \
	desktop/completions/martlet.fish:share/fish/vendor_completions.d/martlet.fish \
	desktop/completions/martletd.bash:share/bash-completion/completions/martletd \
	desktop/completions/martletd.zsh:share/zsh/site-functions/_martletd \
	desktop/completions/martletd.fish:share/fish/vendor_completions.d/martletd.fish
BINARY ?= .build/release/martletd
place = place=$${pair\#*:}; [ "$${place\#/}" != "$$place" ] || place='$(PREFIX)'/"$$place"; place='$(DESTDIR)'"$$place"

.PHONY: help deps deps-run build run test lint bench conformance soak docs field-reports test-asan test-tsan deps-deb \
	deb test-deb install uninstall clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

deps: ## install the Debian packages that building and testing need
	@Tests/Tools/deps $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)

deps-run:
	@Tests/Tools/deps $(BUILD_PACKAGES) $(RUN_PACKAGES)

build: ## build a release
	@Tests/Tools/toolchain
	swift build $(RELEASE) --product martletd
	swift build $(RELEASE) --product martlet

run: deps-run build ## build and play: MUSIC=files, folders, playlists or URIs; ~/Music or a demo album without
	@desktop/run .build/release/martletd

test: ## run every test and say how many ran; ONLY=REGEX runs the black-box scripts of that name
	@Tests/Tools/toolchain
	@Tests/Tools/test-all $(FLAGS)

lint: ## check format, imports, linkage, desktop files, scripts and documents
	@Tests/Tools/toolchain
	@swift build $(FLAGS) --product martletd
	@swift build $(FLAGS) --product martlet
	@Tests/Tools/lint

bench: build ## measure beside mpv, MPD and the bare parts; writes docs/benchmarks.md
	@Tests/Bench/run

conformance: build ## run the whole conformance checker on the release build
	@Tests/Conformance/run

soak: build ## 200 kills in random commands; then MINUTES=30 of them: memory, descriptors, threads must not grow
	@MARTLET_KILLS=$(or $(KILLS),200) Tests/BlackBox/session.test $(CURDIR)/.build/release/martletd
	@Tests/Soak/run .build/release/martletd $(or $(MINUTES),30)

docs: ## make the reference of the NowPlaying library in .build/docs; a warning is an error
	@Tests/Tools/toolchain
	@Tests/Tools/docs

field-reports: ## enter the tests that carry a report's id into docs/field-reports.md
	@Tests/Lint/field-reports --fill

deps-deb:
	@Tests/Tools/deps $(DEB_PACKAGES)

deb: deps-deb build ## make the Debian package in .build/packages; REVISION=1
	@desktop/package '$(or $(REVISION),1)' .build/packages
	@lintian --allow-root --fail-on error,warning .build/packages/martlet_*.changes

test-deb: deb ## install, drive, upgrade and purge the package in a Debian 12 of its own; wants root
	@Tests/Tools/deps $(TEST_DEB_PACKAGES)
	@Tests/Packages/debian .build/packages

test-asan: ## run the tests under AddressSanitizer and LeakSanitizer, after seeing it find a planted leak
	@Tests/Tools/toolchain
	@Tests/Tools/sanitize address

test-tsan: ## run the tests under ThreadSanitizer, after seeing it find a planted race
	@Tests/Tools/toolchain
	@Tests/Tools/sanitize thread

install: ## install the release under $(DESTDIR)$(PREFIX)
	@test -x '$(BINARY)' || $(MAKE) build
	@install -D -m 0755 '$(BINARY)' '$(DESTDIR)$(PREFIX)/bin/martletd'
	@install -D -m 0755 '$(dir $(BINARY))martlet' '$(DESTDIR)$(PREFIX)/bin/martlet'
	@for pair in $(FILES); do \
		$(place); install -d "$${place%/*}"; \
		sed 's|@BINDIR@|$(PREFIX)/bin|g' "$${pair%%:*}" | install -m 0644 /dev/stdin "$$place"; \
	done
	@[ -n '$(DESTDIR)' ] || Tests/Tools/refresh '$(PREFIX)/share'

uninstall: ## remove what install put there
	@rm -f '$(DESTDIR)$(PREFIX)/bin/martletd' '$(DESTDIR)$(PREFIX)/bin/martlet'
	@for pair in $(FILES); do $(place); rm -f "$$place"; done
	@if [ -z '$(DESTDIR)' ]; then Tests/Tools/refresh '$(PREFIX)/share'; \
		elif [ -d '$(DESTDIR)' ]; then find '$(DESTDIR)' -mindepth 1 -depth -type d -empty -delete; fi

clean: ## remove what building made
	rm -rf .build
