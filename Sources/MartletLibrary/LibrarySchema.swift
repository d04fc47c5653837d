// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// The tables of `library.db`.
///
/// What the scan knows (`root` … `track_genre`) can be had again from the files; what the user made (`personal`, `play`,
/// `bookmark`, `playlist` …) cannot, and hangs on `track.id`. That id is the song's for ever: it follows the file through
/// retagging, renaming and moving, and stays, without a file, when the file is gone. Ids are never used twice.
///
/// Times of the clock are whole seconds since 1970, lengths and positions whole nanoseconds, names of files bytes.
/// `key` columns tell rows apart (NFC, case folded), `sort` columns are bytes in the order people expect. Flags are 0 or 1.
enum LibrarySchema {
    /// "MRTl"
    static let applicationID: Int32 = 0x4D52_546C

    static let schema = Schema(applicationID: applicationID, steps: steps)

    private static let steps: [Schema.Step] = [
        .script(files + tracks + personal + playlists),
        .function { database in
            try database.execute(SearchIndex.tables)
            try SearchIndex.build(database)
        },
    ]

    /// The steps that a program of an earlier version had; for tests.
    static func steps(upTo version: Int) -> [Schema.Step] { Array(steps.prefix(version)) }

    /// Where music lies, and what of it was looked at.
    private static let files = """
        CREATE TABLE root(
            id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, added INTEGER NOT NULL,
            scanned INTEGER, is_offline INTEGER NOT NULL DEFAULT 0);

        -- path: below the root, without a slash at either end; empty for the root itself.
        CREATE TABLE folder(
            id INTEGER PRIMARY KEY, root INTEGER NOT NULL REFERENCES root ON DELETE CASCADE, path BLOB NOT NULL,
            device INTEGER NOT NULL, inode INTEGER NOT NULL, is_offline INTEGER NOT NULL DEFAULT 0,
            UNIQUE (root, path));

        -- kind: 0 audio, 1 cue sheet. state: 0 to be read, 1 read, 2 failed (and why, in `failure`).
        CREATE TABLE file(
            id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE, name BLOB NOT NULL,
            device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
            kind INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL DEFAULT 0, failure TEXT,
            UNIQUE (folder, name));
        CREATE INDEX file_inode ON file(inode, device);
        CREATE INDEX file_unread ON file(folder) WHERE state = 0;
        CREATE INDEX file_failed ON file(id) WHERE state = 2;

        """

    /// What the files say.
    private static let tracks = """
        CREATE TABLE artwork(
            id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, type TEXT NOT NULL, size INTEGER NOT NULL,
            width INTEGER, height INTEGER);

        CREATE TABLE artist(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, sort BLOB NOT NULL,
            musicbrainz TEXT);
        CREATE INDEX artist_sort ON artist(sort);

        -- artist: as shown. added: of the newest track. What is counted here is counted when its tracks change.
        CREATE TABLE album(
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, key TEXT NOT NULL UNIQUE, sort BLOB NOT NULL,
            artist TEXT NOT NULL, artist_sort BLOB NOT NULL, is_compilation INTEGER NOT NULL DEFAULT 0,
            date TEXT, year INTEGER, musicbrainz_release TEXT, musicbrainz_group TEXT,
            artwork INTEGER REFERENCES artwork ON DELETE SET NULL, added INTEGER NOT NULL DEFAULT 0,
            track_count INTEGER NOT NULL DEFAULT 0, disc_count INTEGER NOT NULL DEFAULT 0,
            length INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX album_sort ON album(sort);
        CREATE INDEX album_artist_sort ON album(artist_sort, year, sort);
        CREATE INDEX album_added ON album(added);
        CREATE INDEX album_year ON album(year, sort);
        CREATE TABLE album_artist(
            album INTEGER NOT NULL REFERENCES album ON DELETE CASCADE, position INTEGER NOT NULL,
            artist INTEGER NOT NULL REFERENCES artist, PRIMARY KEY (album, position)) WITHOUT ROWID;
        CREATE INDEX album_artist_artist ON album_artist(artist, album);

        CREATE TABLE genre(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE);

        -- file: NULL for a track whose file is gone (since `gone`). start, end: a part of the file, told by the cue sheet
        -- `sheet`. title: from the tags, else the file's name. album_title, is_compilation: as tagged; album: as grouped.
        -- identity: what the sound is known by, whatever its tags say. rank: higher comes first in a search.
        CREATE TABLE track(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            file INTEGER REFERENCES file ON DELETE SET NULL, start INTEGER NOT NULL DEFAULT 0, end INTEGER,
            sheet INTEGER REFERENCES file ON DELETE SET NULL,
            title TEXT NOT NULL, sort BLOB NOT NULL, artist TEXT NOT NULL, album INTEGER REFERENCES album,
            album_title TEXT, is_compilation INTEGER NOT NULL DEFAULT 0,
            disc INTEGER, disc_total INTEGER, disc_subtitle TEXT, number INTEGER, number_total INTEGER,
            date TEXT, year INTEGER, length INTEGER, codec TEXT, bitrate INTEGER, sample_rate INTEGER, channels INTEGER,
            beats_per_minute INTEGER, grouping TEXT, comment TEXT, isrc TEXT,
            track_gain REAL, track_peak REAL, album_gain REAL, album_peak REAL,
            identity BLOB, musicbrainz_recording TEXT, musicbrainz_track TEXT, musicbrainz_release TEXT,
            musicbrainz_group TEXT, artwork INTEGER REFERENCES artwork ON DELETE SET NULL,
            added INTEGER NOT NULL, gone INTEGER, rank INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX track_file ON track(file, start);
        CREATE INDEX track_sheet ON track(sheet) WHERE sheet IS NOT NULL;
        CREATE INDEX track_album ON track(album, disc, number) WHERE album IS NOT NULL;
        CREATE INDEX track_sort ON track(sort) WHERE file IS NOT NULL;
        CREATE INDEX track_added ON track(added) WHERE file IS NOT NULL;
        CREATE INDEX track_year ON track(year) WHERE file IS NOT NULL;
        CREATE INDEX track_identity ON track(identity) WHERE identity IS NOT NULL;
        CREATE INDEX track_recording ON track(musicbrainz_recording) WHERE musicbrainz_recording IS NOT NULL;
        CREATE INDEX track_gone ON track(gone) WHERE file IS NULL;
        CREATE INDEX track_gone_identity ON track(identity, title) WHERE file IS NULL;

        -- role: 0 artist, 1 album artist as tagged, 2 composer, 3 lyricist.
        CREATE TABLE track_artist(
            track INTEGER NOT NULL REFERENCES track ON DELETE CASCADE, role INTEGER NOT NULL,
            position INTEGER NOT NULL, artist INTEGER NOT NULL REFERENCES artist,
            PRIMARY KEY (track, role, position)) WITHOUT ROWID;
        CREATE INDEX track_artist_artist ON track_artist(artist, role, track);
        CREATE TABLE track_genre(
            track INTEGER NOT NULL REFERENCES track ON DELETE CASCADE, position INTEGER NOT NULL,
            genre INTEGER NOT NULL REFERENCES genre, PRIMARY KEY (track, position)) WITHOUT ROWID;
        CREATE INDEX track_genre_genre ON track_genre(genre, track);

        """

    /// What the user did with tracks.
    private static let personal = """
        -- liked: since when. rating: 0 to 100.
        CREATE TABLE personal(
            track INTEGER PRIMARY KEY REFERENCES track, liked INTEGER, rating INTEGER CHECK (rating BETWEEN 0 AND 100),
            plays INTEGER NOT NULL DEFAULT 0, skips INTEGER NOT NULL DEFAULT 0,
            first_played INTEGER, last_played INTEGER, last_skipped INTEGER);
        CREATE INDEX personal_liked ON personal(liked) WHERE liked IS NOT NULL;
        CREATE INDEX personal_rating ON personal(rating) WHERE rating IS NOT NULL;
        CREATE INDEX personal_plays ON personal(plays) WHERE plays > 0;
        CREATE INDEX personal_last_played ON personal(last_played) WHERE last_played IS NOT NULL;
        CREATE TABLE play(
            id INTEGER PRIMARY KEY AUTOINCREMENT, track INTEGER NOT NULL REFERENCES track, at INTEGER NOT NULL,
            heard INTEGER NOT NULL, is_skip INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX play_track ON play(track);
        CREATE INDEX play_at ON play(at);
        CREATE TABLE bookmark(
            id INTEGER PRIMARY KEY AUTOINCREMENT, track INTEGER NOT NULL REFERENCES track, position INTEGER NOT NULL,
            label TEXT, created INTEGER NOT NULL);
        CREATE INDEX bookmark_track ON bookmark(track, position);
        CREATE TABLE recent_search(id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE, at INTEGER NOT NULL);
        CREATE TABLE setting(name TEXT PRIMARY KEY, value) WITHOUT ROWID;

        """

    /// What the user put together.
    private static let playlists = """
        -- query: of a smart playlist. place: in the user's own order. mirror: the name of its copy as a file, if it has
        -- one; is_mirrored: that copy is as the list is.
        CREATE TABLE playlist(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, sort BLOB NOT NULL,
            description TEXT NOT NULL DEFAULT '', refuses_duplicates INTEGER NOT NULL DEFAULT 0,
            query TEXT, query_sort TEXT, query_limit INTEGER, builtin TEXT UNIQUE,
            artwork INTEGER REFERENCES artwork ON DELETE SET NULL, place INTEGER NOT NULL,
            created INTEGER NOT NULL, changed INTEGER NOT NULL, played INTEGER,
            mirror TEXT, is_mirrored INTEGER NOT NULL DEFAULT 0);
        INSERT INTO playlist(name, sort, builtin, query, query_sort, place, created, changed) VALUES
            ('Liked', CAST('liked' AS BLOB), 'liked', 'liked', 'lastLiked', 0, 0, 0),
            ('Recently added', CAST('recently added' AS BLOB), 'recent', 'added:<30d', 'newest', 1, 0, 0);
        -- track: NULL for what is not of the library. What is remembered beside it outlives the track.
        CREATE TABLE playlist_entry(
            id INTEGER PRIMARY KEY AUTOINCREMENT, playlist INTEGER NOT NULL REFERENCES playlist ON DELETE CASCADE,
            position INTEGER NOT NULL, track INTEGER REFERENCES track ON DELETE SET NULL,
            uri TEXT NOT NULL, start INTEGER NOT NULL DEFAULT 0, end INTEGER,
            title TEXT NOT NULL, artist TEXT NOT NULL DEFAULT '', album TEXT, length INTEGER, added INTEGER NOT NULL);
        CREATE INDEX playlist_entry_position ON playlist_entry(playlist, position);
        CREATE INDEX playlist_entry_track ON playlist_entry(track) WHERE track IS NOT NULL;

        """
}
