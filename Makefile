# SPDX-License-Identifier: Apache-2.0
# Martlet's own commands; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export PATH := $(PATH):/opt/swift/usr/bin:/opt/swift/bin
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2
MUSIC ?=

BINDIR = $(PREFIX)/bin
SHARE = $(PREFIX)/share
FLAGS = -j $(JOBS) --explicit-target-dependency-import-check error
RELEASE = $(FLAGS) -c release --static-swift-stdlib

BUILD_PACKAGES = libdbus-1-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libtag1-dev libsqlite3-dev \
	libuchardet-dev libutf8proc-dev libexpat1-dev libxxhash-dev pkg-config g++
RUN_PACKAGES = dbus dbus-x11 gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad \
	gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-pulseaudio
TEST_PACKAGES = gstreamer1.0-tools playerctl pulseaudio pulseaudio-utils ffmpeg flac lame vorbis-tools opus-tools \
	python3 python3-mutagen python3-dbus desktop-file-utils appstream libxml2-utils shellcheck systemd \
	libclang-rt-14-dev
.PHONY: help deps deps-run build run test lint bench conformance soak docs install uninstall clean test-asan test-tsan

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

deps: ## install the Debian packages that building and testing need
	@Tests/Tools/deps $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)

deps-run:
	@Tests/Tools/deps $(BUILD_PACKAGES) $(RUN_PACKAGES)

build: ## build a release
	@Tests/Tools/toolchain
	swift build $(RELEASE)

run: deps-run build ## build and play: MUSIC=files, folders, playlists or URIs; ~/Music or a demo album without
	@MUSIC='$(MUSIC)' desktop/run .build/release/martletd

test: deps ## run every test and say how many ran
	@Tests/Tools/toolchain
	@Tests/Tools/test-all $(FLAGS)

lint: ## check format, imports, linkage, desktop files, scripts and documents
	@Tests/Tools/toolchain
	@swift build $(FLAGS) --product martletd
	@Tests/Tools/lint

bench: build ## measure beside mpv, MPD and the bare parts; writes docs/benchmarks.md
	@Tests/Bench/run

conformance: build ## run the whole conformance checker on the release build
	@Tests/Conformance/run

docs: ## make the reference of the NowPlaying library in .build/docs
	@Tests/Tools/docs

test-asan: ## run the tests under AddressSanitizer and LeakSanitizer
	@Tests/Tools/sanitize address

test-tsan: ## run the tests under ThreadSanitizer
	@Tests/Tools/sanitize thread

install: ## install the release under $(DESTDIR)$(PREFIX)
	@test -x .build/release/martletd || $(MAKE) build
	install -D -m 0755 .build/release/martletd '$(DESTDIR)$(BINDIR)/martletd'
	install -d '$(DESTDIR)$(SHARE)/dbus-1/services' '$(DESTDIR)$(PREFIX)/lib/systemd/user'
	for name in org.mpris.MediaPlayer2.martlet org.martlet.Martlet; do \
		sed 's|@BINDIR@|$(BINDIR)|' "dbus/$$name.service" > '$(DESTDIR)$(SHARE)/dbus-1/services/'"$$name.service"; done
	sed 's|@BINDIR@|$(BINDIR)|' desktop/martlet.service > '$(DESTDIR)$(PREFIX)/lib/systemd/user/martlet.service'
	install -D -m 0644 -t '$(DESTDIR)$(SHARE)/dbus-1/interfaces' dbus/*.xml
	install -D -m 0644 desktop/martlet.desktop '$(DESTDIR)$(SHARE)/applications/martlet.desktop'
	install -D -m 0644 desktop/icons/martlet.svg '$(DESTDIR)$(SHARE)/icons/hicolor/scalable/apps/martlet.svg'
	install -D -m 0644 desktop/icons/martlet-symbolic.svg '$(DESTDIR)$(SHARE)/icons/hicolor/symbolic/apps/martlet-symbolic.svg'
	install -D -m 0644 desktop/org.martlet.Martlet.metainfo.xml '$(DESTDIR)$(SHARE)/metainfo/org.martlet.Martlet.metainfo.xml'
	install -D -m 0644 desktop/martletd.1 '$(DESTDIR)$(SHARE)/man/man1/martletd.1'
	install -D -m 0644 desktop/completions/martletd.bash '$(DESTDIR)$(SHARE)/bash-completion/completions/martletd'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/martletd' \
		'$(DESTDIR)$(SHARE)/dbus-1/services/org.mpris.MediaPlayer2.martlet.service' \
		'$(DESTDIR)$(SHARE)/dbus-1/services/org.martlet.Martlet.service' \
		'$(DESTDIR)$(PREFIX)/lib/systemd/user/martlet.service' \
		'$(DESTDIR)$(SHARE)/applications/martlet.desktop' \
		'$(DESTDIR)$(SHARE)/icons/hicolor/scalable/apps/martlet.svg' \
		'$(DESTDIR)$(SHARE)/icons/hicolor/symbolic/apps/martlet-symbolic.svg' \
		'$(DESTDIR)$(SHARE)/metainfo/org.martlet.Martlet.metainfo.xml' \
		'$(DESTDIR)$(SHARE)/man/man1/martletd.1' \
		'$(DESTDIR)$(SHARE)/bash-completion/completions/martletd'
	for file in dbus/*.xml; do rm -f '$(DESTDIR)$(SHARE)/dbus-1/interfaces/'"$${file##*/}"; done

clean: ## remove what building made
	rm -rf .build
